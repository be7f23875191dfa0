/* A receive buffer is freed before the message has come; another one is freed when it has, which is well.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request r[2];
        int *a = malloc(sizeof *a), *b = malloc(sizeof *b);
        MPI_Irecv(a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(b, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        free(a);
        free(b);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
