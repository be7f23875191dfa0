/* Parts of different lengths.
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
    int a[3] = {rank, rank, rank}, b[6] = {0}, n[3] = {1, 2, 3}, at[3] = {0, 1, 3};
    MPI_Gatherv(a, rank + 1, MPI_INT, b, n, at, MPI_INT, 1, MPI_COMM_WORLD);
    assert(rank != 1 || (b[0] == 0 && b[1] == 1 && b[2] == 1 && b[3] == 2 && b[5] == 2));
    MPI_Scatterv(b, n, at, MPI_INT, a, rank + 1, MPI_INT, 1, MPI_COMM_WORLD);
    assert(a[rank] == rank);
    MPI_Allgatherv(a, rank + 1, MPI_INT, b, n, at, MPI_INT, MPI_COMM_WORLD);
    assert(b[0] == 0 && b[2] == 1 && b[5] == 2);
    MPI_Finalize();
    return 0;
}
