/* A message that a matching probe has taken is never received, and its sender waits.
 * ranks: 2
 * class: matching
 * expect: deadlock
 * says: because rank 0 has taken its message with tag 7
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Ssend(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    else
        MPI_Mprobe(1, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
