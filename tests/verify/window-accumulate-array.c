/* An accumulate of several elements.
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
    MPI_Win_fence(0, w);
    int b[3] = {1, 2, 3};
    MPI_Accumulate(b, 3, MPI_INT, 0, 1, 3, MPI_INT, MPI_SUM, w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        assert(a[0] == 0 && a[1] == 2 && a[2] == 4 && a[3] == 6);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
