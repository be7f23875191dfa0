/* A loop waits for two messages by MPI_Waitsome, and there is one: behind it no request is left, and the loop goes on for ever.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x, n, which, left = 2;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
        while (left) {
            MPI_Waitsome(1, &q, &n, &which, MPI_STATUSES_IGNORE);
            if (n > 0)
                left -= n;
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
