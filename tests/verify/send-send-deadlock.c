/* Both send first: it depends on buffering.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
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
    MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &s);
    MPI_Finalize();
    return 0;
}
