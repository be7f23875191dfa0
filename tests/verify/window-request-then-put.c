/* Each process gets a part of its neighbour's window, waits for it, and puts what it makes of it to the same place: the get is over then.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got[2], *base;
    MPI_Win win;
    MPI_Request get, put[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    base[0] = base[1] = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2; i++) {
        MPI_Rget(&got[i], 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win, &get);
        MPI_Wait(&get, MPI_STATUS_IGNORE);
        got[i] += 10;
        MPI_Rput(&got[i], 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win, &put[i]);
    }
    MPI_Waitall(2, put, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (base[0] != rank + 10 || base[1] != rank + 10)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
