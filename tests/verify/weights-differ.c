/* The two ends of an edge give it other weights.
 * ranks: 2
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, in[2], out = 7;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    in[0] = rank ? 8 : 7;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, in, 1, &other, &out, MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
