/* Neighbours exchange parts that a call names by their addresses, from MPI_BOTTOM on.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, two = 2, one = 1;
    MPI_Comm pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int other = 1 - rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &pair);

    int mine[2] = {10 + rank, 20 + rank}, its[2] = {0};
    MPI_Datatype whole = MPI_INT;
    MPI_Aint from, to;
    MPI_Get_address(mine, &from);
    MPI_Get_address(its, &to);
    MPI_Neighbor_alltoallw(MPI_BOTTOM, &two, &from, &whole, MPI_BOTTOM, &two, &to, &whole, pair);
    assert(its[0] == 10 + other && its[1] == 20 + other);

    MPI_Request r;
    MPI_Get_address(&its[1], &to);
    MPI_Ineighbor_alltoallw(MPI_BOTTOM, &one, &from, &whole, MPI_BOTTOM, &one, &to, &whole, pair, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    assert(its[0] == 10 + other && its[1] == 10 + other);

    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
