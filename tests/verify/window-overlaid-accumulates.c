/* Two windows lie over one variable: accumulates of one operation by both are concurrent, and those of distinct windows are not atomic to each other (§12.7).
 * ranks: 3
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y = 7;
    MPI_Win a, b;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &a);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
    MPI_Win_fence(0, a);
    MPI_Win_fence(0, b);
    if (rank > 0)
        MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, rank == 1 ? a : b);
    MPI_Win_fence(0, a);
    MPI_Win_fence(0, b);
    MPI_Win_free(&a);
    MPI_Win_free(&b);
    MPI_Finalize();
    return 0;
}
