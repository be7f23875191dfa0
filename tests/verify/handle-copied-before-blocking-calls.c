/* The copy of a handle is not that of a request which is made later, behind blocking calls.
 * ranks: 2
 * class: requests
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y = 0;
    MPI_Request request, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        copy = request;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&copy, MPI_STATUS_IGNORE);
    } else
        for (int tag = 0; tag < 3; tag++)
            MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
