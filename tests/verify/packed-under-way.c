/* The packed data is written again while it is sent.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 1, y = 2, position = 0;
    char packed[4];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Pack(&x, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Isend(packed, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD, &request);
        position = 0;
        MPI_Pack(&y, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
