/* More is sent than the array has, which is a variable of the function that calls the one that sends it.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 * options: -O0
 * says: the variable has 40 bytes, and 40 bytes behind it are meant
 */
#include <mpi.h>

static int big[20];
static void exchange(int rank, int *numbers, int n)
{
    int other[40] = {0};
    if (rank == 1)
        MPI_Send(numbers, n, MPI_INT, 0, other[rank], MPI_COMM_WORLD);
    else
        MPI_Recv(big, 20, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, before[8] = {0}, few[10] = {0}, after[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(rank, few, 20);
    MPI_Finalize();
    return before[0] + after[0];
}
