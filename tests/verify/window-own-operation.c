/* An operation of the program's own on a window.
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

static void first(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

int main(int argc, char **argv)
{
    int rank, x = 0, y = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op op;
    MPI_Win window;
    MPI_Op_create(first, 1, &op);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, op, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
