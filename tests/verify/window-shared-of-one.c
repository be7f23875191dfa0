/* One process brings the memory, the others fill it, and the sum is taken behind a barrier.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, unit;
    double *memory;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(rank == 0 ? size * sizeof *memory : 0, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &memory);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    memory[rank] = rank + 0.5;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += memory[i];
    if (sum != size * size / 2.0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
