/* A process counts how often it tests for a message that nobody sends.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, flag = 0, tests = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            tests++;
        }
    }
    MPI_Finalize();
    return 0;
}
