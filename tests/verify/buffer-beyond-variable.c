/* A count that is one too many: behind the variable is another one, which is sent.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int x[4], y[4];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(x, 5, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(y, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return y[0];
}
