/* All orders of three senders give one sum.
 * ranks: 4
 * class: matching
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
    int sum = 0;
    x = 1 << rank;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
            assert(y == 1 << s.MPI_SOURCE && s.MPI_TAG == s.MPI_SOURCE);
            sum += y;
        }
        assert(sum == 14);
    } else
        MPI_Send(&x, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
