/* An error comes to the program's own handler, of the communicator that a communicator was made from.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static int errors;

static void handle(MPI_Comm *comm, int *err, ...)
{
    int class, size;
    MPI_Error_class(*err, &class);
    assert(class == MPI_ERR_TRUNCATE);
    MPI_Comm_size(*comm, &size);
    errors += size;
}

int main(int argc, char **argv)
{
    int rank, x[2] = {1, 2};
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        MPI_Send(x, 2, MPI_INT, 1, 0, comm);
    else
        assert(MPI_Recv(x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS && errors == 2);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
