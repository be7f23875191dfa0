/* What an info object says of a dynamic window: accumulates need not be ordered (MPI 4.1, section 12.7.2).
 * ranks: 1
 * class: windows
 * expect: abort
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int x = 0, one = 1, two = 2;
    MPI_Aint place;
    MPI_Info info;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_attach(win, &x, sizeof x);
    MPI_Get_address(&x, &place);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&two, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_unlock(0, win);
    MPI_Win_detach(win, &x);
    MPI_Win_free(&win);
    if (x != 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
