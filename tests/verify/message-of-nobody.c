/* What a matched probe of MPI_PROC_NULL finds is received at once: a test of its request says so, and the buffer stays as it is.
 * ranks: 1
 * class: requests
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status;
    int found = 0, flag = 0, x = 5;
    MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &found, &message, &status);
    if (!found || message != MPI_MESSAGE_NO_PROC)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Imrecv(&x, 1, MPI_INT, &message, &request);
    MPI_Test(&request, &flag, &status);
    if (!flag || status.MPI_SOURCE != MPI_PROC_NULL || status.MPI_TAG != MPI_ANY_TAG || x != 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, &status);
    if (!flag)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
