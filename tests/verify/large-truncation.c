/* A large message is received into half of its length.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 2 << 20 };

int main(int argc, char **argv)
{
    int rank;
    char *buffer = calloc(N, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(buffer, N, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, N / 2, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
