/* Two ranks get a count, and put it back increased, in two epochs: what comes between is lost.
 * ranks: 2
 * class: windows
 * expect: crash
 */
#include <mpi.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    int a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    int mine;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    MPI_Get(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_unlock(0, w);
    mine++;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_unlock(0, w);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        assert(a[0] == size);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
