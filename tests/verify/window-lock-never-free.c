/* A rank swaps until it finds a lock free that the other one has taken and never gives back.
 * ranks: 2
 * class: windows
 * expect: deadlock
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, lock = 0, one = 1, zero = 0, old;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&lock, sizeof lock, sizeof lock, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock_all(0, w);
    do {
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 0, w);
        MPI_Win_flush(0, w);
    } while (old != 0);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
