/* One process gives its edges no weights, and the other one does.
 * ranks: 2
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, weight = 3;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, rank ? MPI_UNWEIGHTED : &weight, 1, &other, rank ? MPI_UNWEIGHTED : &weight,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
