/* Two shared windows: a process stores to another one's part of each, and what is got is what was stored.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, unit, *own, *first, *other, value = 5;
    MPI_Aint bytes;
    MPI_Win win, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &second);
    MPI_Win_shared_query(second, 0, &bytes, &unit, &other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, second);
    if (rank == 1) {
        *first = 7;
        *other = 8;
    }
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, second);
    if (rank == 1)
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, second);
    MPI_Win_fence(0, second);
    if (rank == 1 && value != 8)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&second);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
