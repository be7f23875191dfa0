/* Many messages in one direction, whose errors are returned: a rank that is told of errors behind each call has as few states as one that is not.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <stdio.h>

enum { MESSAGES = 60 };

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; tag < MESSAGES; tag++) {
        int error = rank == 0 ? MPI_Send(&tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD)
                              : MPI_Recv(&x, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS || (rank == 1 && x != tag))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
