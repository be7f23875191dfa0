/* Of several ranks that swap, one finds the old value.
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
    int old = 0, mine = rank + 1, all;
    MPI_Win_lock_all(0, w);
    MPI_Compare_and_swap(&mine, &old, &x, MPI_INT, 0, 2, w);
    MPI_Win_unlock_all(w);
    y = x == 0;
    MPI_Allreduce(&y, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(all == 1);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
