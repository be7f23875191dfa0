/* The buffer is attached to another communicator than the message is sent on, and the process has none (MPI 4.1).
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>

/* The headers of older libraries lack it. */
__attribute__((weak)) int MPI_Comm_attach_buffer(MPI_Comm, void *, int);

int main(int argc, char **argv)
{
    static char buffer[1000];
    int rank, x = 5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Comm_attach_buffer(MPI_COMM_SELF, buffer, sizeof buffer);
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
