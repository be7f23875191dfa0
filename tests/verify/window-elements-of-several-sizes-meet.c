/* An int is written into the second half of a double that another rank writes in the same epoch.
 * ranks: 3
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1;
    double half = 0.5;
    unsigned char memory[16] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&half, 1, MPI_DOUBLE, 2, 0, 1, MPI_DOUBLE, win);
    if (rank == 1)
        MPI_Put(&one, 1, MPI_INT, 2, 4, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
