/* A put onto what the target itself puts elsewhere at the same time.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {0}, y = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win window;
    MPI_Win_create(x, sizeof x, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&y, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    else
        MPI_Put(&x[0], 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
