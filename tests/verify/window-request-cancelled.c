/* An operation on a window cannot be cancelled (§12.3.5).
 * ranks: 2
 * class: windows
 * expect: erroneous
 * says: MPI_Cancel: an operation on a window cannot be cancelled
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y = 7;
    MPI_Win w;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        MPI_Rput(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, w, &r);
        MPI_Cancel(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
