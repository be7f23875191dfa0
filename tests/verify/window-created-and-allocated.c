/* A process brings the memory of a window, and another one lets the library bring it: these are two functions.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int x = 0, *own;
    MPI_Win win;
    if (rank == 0)
        MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    else
        MPI_Win_allocate(sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
