/* A rank loads and stores in its own window under its own exclusive lock, while others put under theirs.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, x = 5, a[2] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    if (rank == 0)
        a[0] = a[0] + 1;
    else
        MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_unlock(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
