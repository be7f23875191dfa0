/* The send buffer is read before the wait, which is allowed; so is what lies beside the receive buffer.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, v[4] = {1, 2, 3, 4};
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Isend(v, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
    else
        MPI_Irecv(v + 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
    printf("%d %d\n", v[0], v[1]);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    printf("%d %d\n", v[2], v[3]);
    MPI_Finalize();
    return 0;
}
