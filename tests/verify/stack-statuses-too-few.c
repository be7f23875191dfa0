/* Two requests are waited for with one status.
 * ranks: 2
 * class: requests
 * expect: erroneous
 * options: -O0
 * says: `array_of_statuses` has 40 bytes, and the variable that it is in has 20
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a = 1, b;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&b, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests);
    MPI_Isend(&a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(2, requests, &status);
    MPI_Finalize();
    return 0;
}
