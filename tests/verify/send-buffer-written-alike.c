/* What is in the send buffer is written there again before the wait.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, v[3] = {1, 2, 3}, same[3] = {1, 2, 3};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(v, 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        memcpy(v, same, argc > 1 ? 4 : sizeof v);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(v, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
