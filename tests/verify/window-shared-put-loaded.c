/* A process loads from another one's part of a shared window while that one puts there.
 * ranks: 2
 * class: windows
 * expect: correct
 * instrumented: race
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, unit, *own, *first, value = 5;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    *own = 0;
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    } else {
        printf("%d\n", *first);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
