/* A put of many elements.
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
    int b[100], c[100];
    for (int i = 0; i < 100; i++)
        b[i] = i * rank, c[i] = i;
    MPI_Win_create(b, sizeof b, sizeof *b, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Put(c, 100, MPI_INT, 1, 0, 100, MPI_INT, w);
    MPI_Win_fence(0, w);
    for (int i = 0; i < 100; i++)
        assert(b[i] == i * rank);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
