/* A process that was told no five times gives up, though the message comes: a message may take as long as it likes.
 * ranks: 2
 * class: deadlock and progress
 * expect: abort
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 5, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 5 && !flag; i++)
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
