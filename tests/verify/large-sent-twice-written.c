/* A large array and then the first few elements of it are sent, and an element in its midst is written while that is under way.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 100001, FEW = 10 };

int main(int argc, char **argv)
{
    int rank, *data = calloc(N, sizeof *data);
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(data, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(data, FEW, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        data[N / 2] = 1;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(data, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, FEW, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
