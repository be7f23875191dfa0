/* A rank loads from its own window under a shared lock, while another puts under a shared lock.
 * ranks: 2
 * class: windows
 * expect: correct
 * instrumented: race
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 5, a[2] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w);
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    else if (a[0] == 77)
        abort();
    MPI_Win_unlock(1, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
