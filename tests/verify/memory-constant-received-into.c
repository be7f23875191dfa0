/* A receive into what cannot be written.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

static const int fixed[4] = {1, 2, 3, 4};

int main(int argc, char **argv)
{
    int rank, x;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = rank + 5;
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv((void *)fixed, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
