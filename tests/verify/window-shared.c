/* Processes load and store each other's parts of a shared window, between fences.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { EACH = 2 };

int main(int argc, char **argv)
{
    int rank, size, unit, *own, *next, *first;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(EACH * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &next);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
    if (bytes != EACH * sizeof *own || unit != sizeof *own || own != first + EACH * rank)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_fence(0, win);
    next[1] = rank + 1;
    MPI_Win_fence(0, win);
    /* Parts lie one after the other. */
    for (int i = 0; i < size; i++)
        if (first[EACH * ((i + 1) % size) + 1] != i + 1 || first[EACH * i] != 0)
            MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
