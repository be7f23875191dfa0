/* The greatest tag, as MPI tells it.
 * ranks: 2
 * class: matching
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 1, y = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *greatest, there;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &greatest, &there);
    MPI_Sendrecv(&x, 1, MPI_INT, 1 - rank, *greatest, &y, 1, MPI_INT, 1 - rank, *greatest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
