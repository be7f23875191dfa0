/* A process looks at another one's part of a shared window while that is being filled.
 * ranks: 2
 * class: windows
 * expect: abort
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, unit, *own, *first;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(2 * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        first[0] = first[1] = 1;
    MPI_Win_sync(win);
    if (rank == 1 && first[0] != first[1])
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
