/* A process computes, and tests a hundred times meanwhile, before it waits.
 * ranks: 2
 * class: deadlock and progress
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 0, flag = 0;
    double work = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 100; i++) {
            work *= 1.01;
            if (!flag)
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        }
        if (!flag)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(x == 5);
    } else {
        x = 5;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return work < 1;
}
