/* A loop probes for two messages, and nobody sends one: the process goes round for ever.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, other = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        while (!flag && !other) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Iprobe(1, 1, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
        }
    MPI_Finalize();
    return 0;
}
