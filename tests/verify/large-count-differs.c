/* The ranks broadcast different amounts by functions whose counts are an MPI_Count.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast_c(x, 1 + rank, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
