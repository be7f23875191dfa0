/* One process never starts a persistent barrier.
 * ranks: 2
 * class: collectives
 * expect: deadlock
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request r;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    if (rank == 0) {
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
    MPI_Finalize();
    return 0;
}
