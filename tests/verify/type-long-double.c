/* Sums, products and the greatest of long doubles.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long double x = 1.0L + rank / 3.0L, sum, product, most;
    struct { long double v; int i; } mine = {x, rank}, greatest;
    MPI_Allreduce(&x, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &product, 1, MPI_LONG_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &most, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &greatest, 1, MPI_LONG_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    assert(sum == 1.0L + (1.0L + 1 / 3.0L) && product == 1.0L + 1 / 3.0L && most == 1.0L + 1 / 3.0L);
    assert(greatest.v == most && greatest.i == 1);
    MPI_Finalize();
    return 0;
}
