/* A persistent send and receive, twice.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, z = 0, flag = 0;
    MPI_Status s;
    MPI_Request q, r;
    (void)x, (void)y, (void)z, (void)flag, (void)s, (void)q, (void)r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MPI_Send_init(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
    else
        MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
    for (int i = 1; i < 3; i++) {
        if (rank == 0)
            x = i;
        MPI_Start(&q);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        assert(x == i);
    }
    MPI_Request_free(&q);
    MPI_Finalize();
    return 0;
}
