/* A shared window behind a window that was made of own memory: a process stores to another one's part of the shared one.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, unit, *own, *first, value = 5, memory = 0;
    MPI_Aint bytes;
    MPI_Win win, created;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_fence(0, win);
    if (rank == 1)
        *first = 7;
    MPI_Win_fence(0, win);
    if (*first != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Win_free(&created);
    MPI_Finalize();
    return 0;
}
