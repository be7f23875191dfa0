/* A message that is too long for its receive ends a communicator's processes, where MPI_ERRORS_ABORT is its handler.
 * ranks: 2
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, data[2] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    if (rank == 0)
        MPI_Send(data, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
