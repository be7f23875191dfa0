/* A rank ends without MPI_Finalize, and another one tests for ever what it would have sent: that is told, and no deadlock.
 * ranks: 2
 * class: deadlock and progress
 * expect: erroneous
 * says: rank 0, end-while-another-polls.c:14: it ends without MPI_Finalize
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, flag = 0;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        if (argc > 0)
            return 0;
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
        while (!flag)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
