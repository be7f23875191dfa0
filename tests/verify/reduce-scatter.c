/* A part of the sum for each.
 * ranks: 3
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
    int a[3] = {rank, 10 * rank, 100 * rank};
    MPI_Reduce_scatter_block(a, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(x == (rank == 0 ? 3 : rank == 1 ? 30 : 300));
    MPI_Finalize();
    return 0;
}
