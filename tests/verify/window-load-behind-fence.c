/* Loads and stores of the target lie in epochs of their own, or at other places: no race.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 5, y = 0, a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    else
        a[1] = a[2] + 1;
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Get(&y, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    else
        assert(a[0] == 5 && a[1] == 1);
    MPI_Win_fence(0, w);
    assert(rank || y == 5);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
