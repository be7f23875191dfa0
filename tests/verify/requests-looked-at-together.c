/* Several requests are looked at, all of them, any, and some (MPI 4.1), and stay as they are; what was complete stays complete.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

/* The headers of older libraries lack these. */
__attribute__((weak)) int MPI_Request_get_status_all(int, const MPI_Request[], int *, MPI_Status[]);
__attribute__((weak)) int MPI_Request_get_status_any(int, const MPI_Request[], int *, int *, MPI_Status *);
__attribute__((weak)) int MPI_Request_get_status_some(int, const MPI_Request[], int *, int[], MPI_Status[]);

int main(int argc, char **argv)
{
    int rank, x[2] = {5, 6}, flag = 0, index, n, indices[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2], status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request_get_status_any(2, requests, &index, &flag, &status);
    assert(flag && index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Request_get_status_some(2, requests, &n, indices, statuses);
    assert(n == MPI_UNDEFINED);
    MPI_Request_get_status_all(2, requests, &flag, statuses);
    assert(flag && statuses[1].MPI_SOURCE == MPI_ANY_SOURCE);
    if (rank == 0) {
        MPI_Send(&x[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&x[1], 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x[1], 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&x[0], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Request_get_status_any(2, requests, &index, &flag, &status);
        if (flag) {
            assert((index == 0 && status.MPI_TAG == 4) || (index == 1 && status.MPI_TAG == 3));
            MPI_Request_get_status_some(2, requests, &n, indices, statuses);
            assert(n == 2 || (n == 1 && indices[0] == index && statuses[0].MPI_TAG == 4 - index));
        }
        flag = 0;
        while (!flag)
            MPI_Request_get_status_all(2, requests, &flag, statuses);
        assert(statuses[0].MPI_TAG == 4 && statuses[1].MPI_TAG == 3);
        MPI_Request_get_status_some(2, requests, &n, indices, statuses);
        assert(n == 2);
        assert(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        MPI_Testall(2, requests, &flag, statuses);
        assert(flag && x[0] == 5 && x[1] == 6);
    }
    MPI_Finalize();
    return 0;
}
