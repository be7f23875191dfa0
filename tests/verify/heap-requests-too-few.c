/* Three requests are waited for, and the array is one of two.
 * ranks: 2
 * class: requests
 * expect: erroneous
 * says: `array_of_requests` has 12 bytes, and the block of memory that it is in has 8
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, a = 1, b;
    MPI_Request *requests = malloc(2 * sizeof *requests);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&b, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests);
    MPI_Isend(&a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    free(requests);
    MPI_Finalize();
    return 0;
}
