/* Many integers are received as packed data, of which there is room for one byte less.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

enum { MANY = 20000 };

int main(int argc, char **argv)
{
    static int buffer[MANY];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(buffer, MANY, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, MANY * (int)sizeof(int) - 1, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
