/* Parts with a count, a displacement and a datatype of their own for each rank.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, ones[2] = {1, 1}, to[2] = {0, 16}, from[2] = {0, 16};
    struct {
        int n[4];
        double d[2];
    } sent, got = {{0}, {0}};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, mine[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sent.n[0] = 10 + rank;
    sent.d[0] = 0.5 + rank;
    /* Rank 0 gets an int from each, rank 1 a double. */
    mine[0] = mine[1] = types[rank];
    MPI_Alltoallw(&sent, ones, to, types, &got, ones, from, mine, MPI_COMM_WORLD);
    if (rank == 0)
        assert(got.n[0] == 10 && *(int *)&got.d[0] == 11);
    else
        assert(*(double *)&got.n[0] == 0.5 && got.d[0] == 1.5);
    MPI_Finalize();
    return 0;
}
