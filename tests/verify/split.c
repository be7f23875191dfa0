/* Two halves, each with its own sum.
 * ranks: 4
 * class: communicators and groups
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
    MPI_Comm c;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &c);
    MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_SUM, c);
    assert(y == (rank % 2 ? 4 : 2));
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
