/* A rank sums to a place, replaces what is there, sums again and reads it, all in one epoch: accumulates of one origin come in order, whatever
 * their operations are.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 2, y = 5, z = 0, old = -1, a[2] = {7, 7};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 1) {
        MPI_Accumulate(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, w);
        MPI_Accumulate(&y, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, w);
        MPI_Accumulate(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, w);
        MPI_Fetch_and_op(&z, &old, MPI_INT, 0, 1, MPI_NO_OP, w);
    }
    MPI_Win_fence(0, w);
    if (rank == 0)
        assert(a[0] == 7 && a[1] == 7);
    else
        assert(old == 7);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
