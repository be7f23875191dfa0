/* An error handler is made and not freed.
 * ranks: 1
 * class: leaks
 * expect: leak
 * says: it does not free 1 error handler before MPI_Finalize
 */
#include <mpi.h>

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Finalize();
    return 0;
}
