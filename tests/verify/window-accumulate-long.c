/* Accumulates of more elements than a few, of two processes at once: those of an operation go in their order or in the opposite one, and all of
 * them go.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

enum { MANY = 6 };

int main(int argc, char **argv)
{
    int rank, *window, ones[MANY] = {1, 1, 1, 1, 1, 1};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(MANY * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    for (int i = 0; i < MANY; i++)
        window[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(ones, MANY, MPI_INT, 0, 0, MANY, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int i = 0; i < MANY && rank == 0; i++)
        assert(window[i] == 2);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
