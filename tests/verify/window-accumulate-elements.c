/* Two ranks replace two places by one call each: an accumulate is atomic by element, so the places may be of different ranks.
 * ranks: 3
 * class: windows
 * expect: crash
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, a[2] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    int b[2] = {rank, rank};
    if (rank > 0)
        MPI_Accumulate(b, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_REPLACE, w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        assert((a[0] == 1 || a[0] == 2) && (a[1] == 1 || a[1] == 2));
        /* Wrong: an operation is no one thing. */
        assert(a[0] == a[1]);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
