/* MPI_MAXLOC is for pairs, not for integers.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, cell[2] = {0}, mine[2] = {1, 2};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(cell, sizeof cell, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(mine, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
