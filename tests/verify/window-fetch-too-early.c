/* What a fetch brings is used before it is complete.
 * ranks: 2
 * class: windows
 * expect: exit
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
    int one = 1;
    x = -1;
    MPI_Win_lock_all(0, w);
    MPI_Fetch_and_op(&one, &x, MPI_INT, 0, 0, MPI_SUM, w);
    if (x < 0)
        exit(3);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
