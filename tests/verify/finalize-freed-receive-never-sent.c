/* Nobody sends what a receive waits for whose request was freed, and MPI_Finalize may wait for it for ever.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 5;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
