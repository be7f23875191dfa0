/* An operation with a request outside of a passive target epoch.
 * ranks: 2
 * class: windows
 * expect: erroneous
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
    MPI_Win_fence(0, w);
    MPI_Request q;
    if (rank == 0) {
        MPI_Rput(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w, &q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
