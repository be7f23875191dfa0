/* A process counts how often it was told no, and does something else when it was two thousand times: what it does then is not followed.
 * ranks: 2
 * class: deadlock and progress
 * expect: unsupported
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 5, flag = 0, refused = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (!flag) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            if (++refused == 2000)
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
