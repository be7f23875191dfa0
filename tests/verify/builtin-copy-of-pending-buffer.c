/* The compiler itself is asked to copy a receive buffer while the receive is pending.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, numbers[3] = {1, 2, 3}, copy[3];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(numbers, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        __builtin_memcpy(copy, numbers, sizeof copy);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("%d\n", copy[0]);
    } else {
        MPI_Send(numbers, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
