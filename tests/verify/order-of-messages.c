/* Messages of one sender are received in order.
 * ranks: 2
 * class: deadlock and progress
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
        for (x = 1; x < 4; x++)
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        for (x = 1; x < 4; x++) {
            MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
            assert(y == x);
        }
    MPI_Finalize();
    return 0;
}
