/* Two windows lie over one variable, and are used one behind the other.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, y = 7;
    /* MPICH 4.0.2 over UCX puts into what lies at the multiple of 16 before a window. */
    _Alignas(64) int x = 0;
    MPI_Win a, b;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
    MPI_Win_fence(0, a);
    if (rank == 1)
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, a);
    MPI_Win_fence(0, a);
    MPI_Win_fence(0, b);
    if (rank == 2)
        MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, b);
    MPI_Win_fence(0, b);
    assert(rank != 0 || x == 14);
    MPI_Win_free(&a);
    MPI_Win_free(&b);
    MPI_Finalize();
    return 0;
}
