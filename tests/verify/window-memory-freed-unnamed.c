/* The memory of a window is freed before the window is, and no call has named anything in it.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Win w;
    MPI_Init(&argc, &argv);
    int *memory = malloc(4 * sizeof *memory);
    MPI_Win_create(memory, 4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    free(memory);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
