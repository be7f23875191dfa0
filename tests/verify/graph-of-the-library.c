/* A distributed graph of which each rank names its own edges: whom it hears comes in an order that the library chooses, and nobody asks for it.
 * ranks: 4
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, in, out, is_weighted, degree = 2;
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to[2] = {(rank + 1) % size, (rank + size - 1) % size};
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted);
    if (in != 2 || out != 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
