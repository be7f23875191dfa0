/* A large message is longer than the receive has room for, and the program asked to be told of errors: the error is the
 * one that short messages bring about.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { SENT = 12288, ROOM = 8192 };
    int rank, code, class;
    int *data = calloc(SENT, sizeof *data);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Send(data, SENT, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        code = MPI_Recv(data, ROOM, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        assert(class == MPI_ERR_TRUNCATE);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
