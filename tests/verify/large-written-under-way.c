/* The end of a large buffer is written while it is being sent.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 1 << 20 };

int main(int argc, char **argv)
{
    int rank, *buffer = calloc(N, sizeof *buffer);
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(buffer, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        buffer[N - 1] = 7;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(buffer, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
