/* A block of memory is given back, and then received into.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, one = 1;
    int *got = malloc(64 * sizeof *got);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    free(got);
    if (rank == 0)
        MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
