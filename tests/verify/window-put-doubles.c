/* A window of doubles.
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
    double d[3] = {rank + 0.5, 0, 0}, e = 0;
    MPI_Win_create(d, sizeof d, sizeof *d, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        MPI_Get(&e, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, w);
        MPI_Put(d, 1, MPI_DOUBLE, 1, 2, 1, MPI_DOUBLE, w);
    }
    MPI_Win_fence(0, w);
    assert(rank == 0 ? e == 1.5 : d[2] == 0.5);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
