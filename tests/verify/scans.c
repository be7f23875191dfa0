/* Scans, with and without the own contribution.
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
    x = rank + 1;
    MPI_Scan(&x, &y, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    assert(y == (rank == 0 ? 1 : rank == 1 ? 2 : 6));
    z = -1;
    MPI_Exscan(&x, &z, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    assert(z == (rank == 0 ? -1 : rank));
    MPI_Finalize();
    return 0;
}
