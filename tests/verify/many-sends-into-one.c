/* Each process receives where its pending sends read (MPI-4.1, section 3.7.2): of so many sends not every order is followed to say it.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>

enum { N = 24 };

int main(int argc, char **argv)
{
    int rank, buffers[N] = {0};
    MPI_Request requests[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        MPI_Isend(&buffers[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < N; i++)
        MPI_Recv(&buffers[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
