/* What a get brings is read before the epoch ends.
 * ranks: 2
 * class: windows
 * expect: correct
 * instrumented: erroneous
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, x = 0, a[2] = {4, 5};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
        printf("%d\n", x);
    }
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
