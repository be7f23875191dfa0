/* One of many elements that a process stores is one that another one puts to meanwhile.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

enum { n = 500 };

int main(int argc, char **argv)
{
    int rank, *memory, value = 7;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        for (int i = 0; i < n; i++)
            if (i == n / 2)
                memory[i] = 1;
            else
                memory[i] = i + 1;
    else
        MPI_Put(&value, 1, MPI_INT, 0, n / 2, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
