/* Neighbours in a ring of processes.
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
    int dims[1] = {4}, periods[1] = {1}, left, right;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c);
    MPI_Cart_shift(c, 0, 1, &left, &right);
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &y, 1, MPI_INT, left, 0, c, &s);
    assert(y == (rank + 3) % 4);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
