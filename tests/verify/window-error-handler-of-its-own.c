/* A window has an error handler of the program's own, which is called for what is wrong with a call on it.
 * ranks: 2
 * class: windows
 * variant: checked
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static int seen, times;
static void handle(MPI_Win *win, int *err, ...)
{
    (void)win;
    MPI_Error_class(*err, &seen);
    times++;
}

int main(int argc, char **argv)
{
    int x = 0, y = 7;
    MPI_Win w;
    MPI_Errhandler h;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_create_errhandler(handle, &h);
    MPI_Win_set_errhandler(w, h);
    MPI_Errhandler_free(&h);
    MPI_Win_fence(0, w);
    MPI_Put(&y, 1, MPI_INT, 5, 0, 1, MPI_INT, w);
    assert(times == 1 && seen == MPI_ERR_RANK);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    assert(times == 1);
    MPI_Finalize();
    return 0;
}
