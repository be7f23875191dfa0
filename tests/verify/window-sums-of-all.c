/* All processes add to several elements of one window under shared locks, at once and one by one: in whichever order they come, the sums are the same.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

enum { n = 5 };

int main(int argc, char **argv)
{
    int rank, size, *memory, one[n];
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(2 * n * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);
    for (int i = 0; i < 2 * n; i++)
        memory[i] = i;
    MPI_Win_unlock(rank, w);
    for (int i = 0; i < n; i++)
        one[i] = i + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w);
    MPI_Accumulate(one, n, MPI_INT, 0, 0, n, MPI_INT, MPI_SUM, w);
    for (int i = 0; i < n; i++)
        MPI_Accumulate(&one[i], 1, MPI_INT, 0, n + i, 1, MPI_INT, MPI_SUM, w);
    MPI_Win_unlock_all(w);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        for (int i = 0; i < n; i++)
            assert(memory[i] == i + size * i + size * (size - 1) / 2 && memory[n + i] == memory[i] + n);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
