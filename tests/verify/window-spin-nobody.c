/* A process waits in a loop for something to come into its window, and nobody puts anything there.
 * ranks: 2
 * class: windows
 * expect: deadlock
 * says: goes round in MPI_Win_
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = rank;
    MPI_Win_lock_all(0, win);
    while (*(volatile int *)memory == 0)
        MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
