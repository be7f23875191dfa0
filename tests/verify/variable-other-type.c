/* A block that the program knows as integers is sent as floating-point numbers of their size: both ends agree, and no variable is what they say (MPI 4.1, section 3.3.1).
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 * options: -O0
 * says: MPI_Send: the datatype of `buf` has MPI_FLOAT where the variable `numbers` has int
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, *numbers = calloc(10, sizeof *numbers);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(numbers, 10, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 10, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    free(numbers);
    return 0;
}
