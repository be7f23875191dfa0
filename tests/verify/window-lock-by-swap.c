/* Two ranks take turns by a lock of their own: each swaps until it finds the lock free.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, shared[2] = {0, 0}, one = 1, zero = 0, old, n = -1;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock_all(0, w);
    do {
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 0, w);
        MPI_Win_flush(0, w);
    } while (old != 0);
    MPI_Get(&n, 1, MPI_INT, 0, 1, 1, MPI_INT, w);
    MPI_Win_flush(0, w);
    n++;
    MPI_Put(&n, 1, MPI_INT, 0, 1, 1, MPI_INT, w);
    MPI_Win_flush(0, w);
    MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, w);
    MPI_Win_unlock_all(w);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w);
    if (rank == 0)
        assert(shared[1] == 2);
    MPI_Win_unlock(rank, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
