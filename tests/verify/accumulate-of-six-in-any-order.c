/* Of an accumulate of six elements the fifth one may be seen to be there before the first: only each element is atomic (MPI-4.1, section 12.7.1), and
 * nothing orders the elements of one operation.
 * ranks: 2
 * class: windows
 * expect: abort
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *window, ones[6] = {1, 1, 1, 1, 1, 1}, first, second, nothing = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(6 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    for (int i = 0; i < 6; i++)
        window[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Accumulate(ones, 6, MPI_INT, 1, 0, 6, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(1, win);
    } else {
        MPI_Fetch_and_op(&nothing, &second, MPI_INT, 1, 4, MPI_NO_OP, win);
        MPI_Win_flush(1, win);
        MPI_Fetch_and_op(&nothing, &first, MPI_INT, 1, 0, MPI_NO_OP, win);
        MPI_Win_flush(1, win);
        if (second == 1 && first == 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
