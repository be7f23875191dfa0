/* Two sends are under way, and the second one's buffer begins in the middle of an element of the first one's: both only read. A broadcast's root
 * and a rank whose receive buffer is of no significance only read as well.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, own, y;
    union {
        double whole[2];
        char bytes[16];
    } x = {{1, 2}};
    double z;
    MPI_Request q[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(x.whole, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Isend(x.bytes + 4, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[1]);
    } else {
        MPI_Irecv(&z, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Irecv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &q[1]);
    }
    MPI_Bcast(rank == 0 ? x.bytes + 4 : (char *)&own, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    MPI_Reduce(x.whole, rank == 0 ? x.bytes + 4 : (char *)&z, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
