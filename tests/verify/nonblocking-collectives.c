/* A barrier and a broadcast that overlap with messages.
 * ranks: 2
 * class: collectives
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
    MPI_Ibarrier(MPI_COMM_WORLD, &q);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &s);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    assert(y == 1 - rank);
    MPI_Finalize();
    return 0;
}
