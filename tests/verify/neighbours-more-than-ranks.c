/* A process has more neighbours than there are processes: each of two is on both sides of the other, in both dimensions of a grid, and on a
 * graph that leads to itself three times.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, dims[2] = {2, 1}, periods[2] = {1, 1}, edges[3];
    MPI_Comm grid, graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    int x[2] = {10 + rank, 20 + rank}, from[8] = {0}, to[4] = {rank, rank + 2, rank + 4, rank + 6};
    MPI_Neighbor_allgather(x, 2, MPI_INT, from, 2, MPI_INT, grid);
    for (int i = 0; i < 4; i++) {
        int of = i < 2 ? 1 - rank : rank;
        assert(from[2 * i] == 10 + of && from[2 * i + 1] == 20 + of);
    }
    MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, grid);
    for (int i = 0; i < 4; i++)
        assert(from[i] == (i < 2 ? 1 - rank : rank) + 2 * (i ^ 1));

    for (int i = 0; i < 3; i++)
        edges[i] = rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, edges, MPI_UNWEIGHTED, 3, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Request r;
    MPI_Ineighbor_allgather(x, 2, MPI_INT, from, 2, MPI_INT, graph, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; i++)
        assert(from[i] == x[i % 2]);

    MPI_Comm_free(&graph);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
