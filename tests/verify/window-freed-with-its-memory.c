/* Processes put to each other between two fences, and free their memory when the window is gone.
 * ranks: 4
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { ROWS = 2 };

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = ROWS * size, *from = calloc(ROWS * n, sizeof *from), *to = calloc(ROWS * n, sizeof *to);
    MPI_Win_create(to, ROWS * n * sizeof *to, sizeof *to, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int target = 0; target < size; target++)
        for (int row = 0; row < ROWS; row++)
            MPI_Put(&from[(target * ROWS + row) * ROWS], ROWS, MPI_INT, target, row * n + rank * ROWS, ROWS, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    free(to);
    free(from);
    MPI_Finalize();
    return 0;
}
