/* A flush and a message order the puts of two ranks.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    x = rank;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
    if (rank == 1) {
        MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
        MPI_Win_flush(0, w);
        MPI_Send(&y, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Recv(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    }
    MPI_Win_unlock(0, w);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        assert(a[0] == 2);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
