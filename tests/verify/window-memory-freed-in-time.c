/* The memory of windows is freed when the windows are, and other memory before.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Win w;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        int *memory = malloc(4 * sizeof *memory), *other = malloc(4 * sizeof *memory);
        MPI_Win_create(memory, 4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
        free(other);
        MPI_Win_free(&w);
        free(memory);
    }
    MPI_Finalize();
    return 0;
}
