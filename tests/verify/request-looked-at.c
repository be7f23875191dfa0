/* A request that is looked at stays; one that says no is looked at again.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 5, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Request_get_status(request, &flag, &status);
        assert(status.MPI_SOURCE == 0 && status.MPI_TAG == 3);
    }
    assert(request != MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    assert(request == MPI_REQUEST_NULL && x == 5);
    MPI_Finalize();
    return 0;
}
