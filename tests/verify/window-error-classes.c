/* A program asks for the errors of a window, and passes wrong arguments to its calls: each returns the class of what is wrong (Table 9.1).
 * ranks: 2
 * class: windows
 * variant: checked
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static void is(int class, int err)
{
    int of;
    MPI_Error_class(err, &of);
    assert(of == class);
}

int main(int argc, char **argv)
{
    int rank, y = 7;
    _Alignas(64) int x = 0;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    is(MPI_ERR_DISP, MPI_Win_create(&x, sizeof x, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    is(MPI_ERR_RMA_SYNC, MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
    MPI_Win_fence(0, w);
    is(MPI_ERR_RANK, MPI_Put(&y, 1, MPI_INT, 5, 0, 1, MPI_INT, w));
    is(MPI_ERR_COUNT, MPI_Put(&y, -1, MPI_INT, 0, 0, 1, MPI_INT, w));
    is(MPI_ERR_TYPE, MPI_Get(&y, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, w));
    is(MPI_ERR_OP, MPI_Accumulate(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, w));
    if (rank == 1)
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    is(MPI_ERR_RMA_SYNC, MPI_Win_unlock(0, w));
    assert(rank != 0 || x == 7);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
