/* The receive buffer of a call begins in the middle of an element of its send buffer.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    union {
        int whole[4];
        char bytes[16];
    } x = {{1, 2, 3, 4}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(x.whole, 2, MPI_INT, 1 - rank, 0, x.bytes + 6, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
