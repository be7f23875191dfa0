/* A process tests until it is late, and then gives up, though the message comes: nothing of its memory changes meanwhile.
 * ranks: 2
 * class: deadlock and progress
 * expect: abort
 */
#include <mpi.h>

static double begun;

int main(int argc, char **argv)
{
    int rank, x = 5, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        begun = MPI_Wtime();
        MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag && MPI_Wtime() < begun + 0.01)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
