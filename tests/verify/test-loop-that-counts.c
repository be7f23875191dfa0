/* A process counts how often it tests, and no behaviour depends on the number.
 * ranks: 2
 * class: deadlock and progress
 * expect: correct
 */
#include <mpi.h>
#include <stdio.h>

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
        printf("%d after %d tests\n", x, tests);
    } else {
        x = 5;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
