/* Two processes put to the last integer of a third one's window of 200 megabytes in one epoch.
 * ranks: 3
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

enum { bytes = 200000000, last = bytes / 4 - 1 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, *memory;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win win;
    MPI_Win_allocate(rank == 2 ? bytes : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_fence(0, win);
    if (rank < 2)
        MPI_Put(&rank, 1, MPI_INT, 2, last, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
