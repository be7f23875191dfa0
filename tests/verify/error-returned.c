/* A message that is too long for its receive: the program has asked for the error, and gets its class.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {1, 2}, class = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        int err = MPI_Send(x, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        assert(err == MPI_SUCCESS);
    } else {
        int err = MPI_Recv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(err, &class);
        assert(class == MPI_ERR_TRUNCATE);
        err = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        assert(err == MPI_SUCCESS);
    }
    MPI_Finalize();
    return 0;
}
