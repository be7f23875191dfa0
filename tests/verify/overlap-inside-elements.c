/* Two receives are under way, and the second one's buffer begins in the middle of an element of the first one's.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    union {
        double whole[2];
        char bytes[16];
    } x = {{1, 2}};
    MPI_Request q[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(x.whole, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Irecv(x.bytes + 4, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(x.whole, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
