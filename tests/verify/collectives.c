/* Broadcast, reduction, gather, scatter, and all to all.
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
    int a[3] = {0}, b[3] = {0};
    x = rank == 1 ? 42 : 0;
    MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD);
    assert(x == 42);
    MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(y == 3);
    MPI_Gather(&rank, 1, MPI_INT, a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert(rank || (a[0] == 0 && a[1] == 1 && a[2] == 2));
    MPI_Scatter(a, 1, MPI_INT, &z, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert(z == rank);
    for (int i = 0; i < 3; i++)
        a[i] = 10 * rank + i;
    MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD);
    assert(b[0] == rank && b[1] == 10 + rank && b[2] == 20 + rank);
    MPI_Finalize();
    return 0;
}
