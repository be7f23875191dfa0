/* MPI_ERRORS_ABORT is a handler like the others: it can be set, asked for and replaced.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
int main(int argc, char **argv)
{
    int rank, size, got[2];
    MPI_Errhandler handler;
    MPI_Comm other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_ABORT);
    MPI_Comm_get_errhandler(other, &handler);
    assert(handler == MPI_ERRORS_ABORT);
    int data[2] = {1, 2};
    if (rank == 0)
        MPI_Send(data, 2, MPI_INT, 1, 0, other);
    else
        MPI_Recv(got, 2, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(other, &handler);
    assert(handler == MPI_ERRORS_RETURN);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
