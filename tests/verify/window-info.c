/* What an info object says of a window: accumulates need not be ordered.
 * ranks: 1
 * class: windows
 * expect: crash
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int x = 0, one = 1, two = 2;
    MPI_Info info;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_create(&x, sizeof x, sizeof x, info, MPI_COMM_WORLD, &window);
    MPI_Info_free(&info);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Accumulate(&two, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    assert(x == 2);
    MPI_Finalize();
    return 0;
}
