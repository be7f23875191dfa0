/* Three floats come into a buffer that has room for many integers.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

enum { ROOM = 20000 };

int main(int argc, char **argv)
{
    static int buffer[ROOM];
    float sent[3] = {1, 2, 3};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(sent, 3, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, ROOM, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
