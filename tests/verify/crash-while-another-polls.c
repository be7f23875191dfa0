/* A rank crashes, and another one tests for ever what it would have sent: that is a crash, and no deadlock.
 * ranks: 2
 * class: deadlock and progress
 * expect: crash
 * says: crash, rank 0, crash-while-another-polls.c:17: it is ended by SIGSEGV
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, x = 0, flag = 0;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        x = *(volatile int *)NULL;
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
        while (!flag)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
