/* Thousands of elements are stored, put, read, accumulated and got; what one process does between two calls is one step, however many there are.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

enum { n = 2000 };

int main(int argc, char **argv)
{
    int rank, size, *memory, mine[n], got[n];
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(2 * n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
    int other = (rank + 1) % size;
    MPI_Win_fence(0, w);
    for (int i = 0; i < n; i++)
        mine[i] = rank * n + i, memory[n + i] = -i;
    MPI_Win_fence(0, w);
    MPI_Put(mine, n, MPI_INT, other, 0, n, MPI_INT, w);
    MPI_Win_fence(0, w);
    for (int i = 0; i < n; i++)
        assert(memory[i] == other * n + i), memory[i] = i;
    MPI_Win_fence(0, w);
    MPI_Accumulate(mine, n, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, w);
    MPI_Get(got, n, MPI_INT, other, n, n, MPI_INT, w);
    MPI_Win_fence(0, w);
    for (int i = 0; i < n; i++)
        assert(memory[i] == other * n + 2 * i && got[i] == -i);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
