/* Two windows lie over one variable: a put by one of them and an accumulate by the other are concurrent, since each fence is of its own window (§12.7).
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
    if (rank == 1)
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, a);
    if (rank == 2)
        MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, b);
    MPI_Win_fence(0, a);
    MPI_Win_fence(0, b);
    MPI_Win_free(&a);
    MPI_Win_free(&b);
    MPI_Finalize();
    return 0;
}
