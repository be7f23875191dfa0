/* Memory of an allocated window is written after the window was freed.
 * ranks: 2
 * class: windows
 * expect: erroneous
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
    int *m;
    MPI_Win_allocate(4 * sizeof *m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_fence(0, w);
    MPI_Get(&x, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    m[1] = 3;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
