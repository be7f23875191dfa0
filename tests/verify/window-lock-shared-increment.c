/* Two ranks increment a counter under shared locks: their accesses meet.
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
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
    MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_flush(0, w);
    x++;
    MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_unlock(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
