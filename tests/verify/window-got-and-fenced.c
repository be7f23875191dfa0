/* The twin: a fence ends the get before the one that denies stores.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(x, sizeof x, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 1)
        MPI_Get(&x[2], 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_fence(rank == 1 ? MPI_MODE_NOSTORE : 0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
