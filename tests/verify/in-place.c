/* Reductions and gathers in place.
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
    int a[3] = {-1, -1, -1};
    x = rank;
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(x == 3);
    a[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, a, 1, MPI_INT, MPI_COMM_WORLD);
    assert(a[0] == 0 && a[1] == 1 && a[2] == 2);
    MPI_Finalize();
    return 0;
}
