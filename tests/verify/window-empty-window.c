/* A rank that exposes nothing.
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
    MPI_Win_create(rank ? a : NULL, rank ? sizeof a : 0, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    x = 6;
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 3, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    assert(rank == 0 || a[3] == 6);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
