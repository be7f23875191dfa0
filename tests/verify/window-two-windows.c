/* Two windows, with an epoch of each kind.
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
    int b[2] = {0};
    MPI_Win v;
    MPI_Win_create(b, sizeof b, sizeof *b, MPI_INFO_NULL, MPI_COMM_WORLD, &v);
    x = 1, y = 2;
    MPI_Win_fence(0, w);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, v);
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
        MPI_Put(&y, 1, MPI_INT, 1, 1, 1, MPI_INT, v);
        MPI_Win_unlock(1, v);
    }
    MPI_Win_fence(0, w);
    assert(rank == 0 || (a[0] == 1 && b[1] == 2));
    MPI_Win_free(&v);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
