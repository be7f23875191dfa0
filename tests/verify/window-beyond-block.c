/* A window of more bytes than its block of memory has.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Win window;
    int *block = malloc(10 * sizeof *block);
    MPI_Init(&argc, &argv);
    MPI_Win_create(block, 10 * sizeof(double), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    free(block);
    MPI_Finalize();
    return 0;
}
