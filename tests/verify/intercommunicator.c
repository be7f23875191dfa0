/* Two groups of one send to each other.
 * ranks: 2
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
    MPI_Comm own, c;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 7, &c);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &y, 1, MPI_INT, 0, 0, c, &s);
    assert(y == 1 - rank);
    MPI_Comm_free(&c);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
