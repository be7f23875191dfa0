/* An atomic read: MPI_NO_OP takes nothing from the origin.
 * ranks: 2
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
    a[1] = 6;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, w);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &x, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, MPI_NO_OP, w);
    MPI_Win_unlock(1 - rank, w);
    assert(x == 6);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
