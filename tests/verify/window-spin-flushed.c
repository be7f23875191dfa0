/* A process accumulates into the window of another one, which waits for that in a loop. It completes the operation, and then
 * waits for an answer itself, which comes when the other one ends its epoch.
 * ranks: 2
 * class: windows
 * expect: correct
 * instrumented: race
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, one = 1;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    while (*memory == 0) {
        MPI_Win_flush(rank, win);
        MPI_Win_sync(win);
    }
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
