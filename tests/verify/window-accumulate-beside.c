/* Ranks accumulate integers at one place, and beside it, in a window of which other elements are named as bytes.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, one = 1, memory[4] = {0};
    char byte = 7;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank < 2) {
        MPI_Accumulate(&one, 1, MPI_INT, 2, 4, 1, MPI_INT, MPI_SUM, win);
        MPI_Accumulate(&one, 1, MPI_INT, 2, 8, 1, MPI_INT, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&byte, 1, MPI_CHAR, 2, 5, 1, MPI_CHAR, win);
    MPI_Win_fence(0, win);
    if (rank == 2 && (memory[1] != 2 + 7 * 256 || memory[2] != 2))
        abort();
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
