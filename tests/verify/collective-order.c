/* Two communicators' collectives in different orders would do; one communicator's do not.
 * ranks: 2
 * class: collectives
 * expect: erroneous
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
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &q);
        MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
    } else {
        MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &r);
        MPI_Ibarrier(MPI_COMM_WORLD, &q);
    }
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
