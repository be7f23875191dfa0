/* A request that is only looked at is never let go of.
 * ranks: 2
 * class: requests
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 5, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
