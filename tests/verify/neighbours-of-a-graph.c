/* Neighbours of a graph: each process passes as many counts as it hears, and as it tells.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    /* Rank 0 hears both, rank 1 hears nobody; each tells rank 0. */
    int rank, x, from[2] = {1, 0}, to[1] = {0}, counts[2] = {1, 1}, places[2] = {0, 1}, y[2] = {0}, one[1] = {1}, none[1] = {0};
    MPI_Comm graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = rank + 5;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? 2 : 0, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgatherv(&x, 1, MPI_INT, y, rank == 0 ? counts : NULL, rank == 0 ? places : NULL, MPI_INT, graph);
    assert(rank == 1 || (y[0] == 6 && y[1] == 5));
    y[0] = y[1] = 0;
    MPI_Neighbor_alltoallv(&x, one, none, MPI_INT, y, rank == 0 ? counts : NULL, rank == 0 ? places : NULL, MPI_INT, graph);
    assert(rank == 1 || (y[0] == 6 && y[1] == 5));
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
