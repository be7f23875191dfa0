/* A message that a matching probe has reserved is received twice, the second time by a copy of its handle.
 * ranks: 2
 * class: matching
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Message m, copy;
        MPI_Mprobe(0, 0, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
        copy = m;
        MPI_Mrecv(&x, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
        MPI_Mrecv(&x, 1, MPI_INT, &copy, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
