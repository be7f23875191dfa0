/* A rank gives up.
 * ranks: 2
 * class: environment
 * expect: abort
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
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
