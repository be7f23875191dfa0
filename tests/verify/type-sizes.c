/* Sizes and extents in bytes.
 * ranks: 1
 * class: datatypes
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
    MPI_Datatype d;
    MPI_Aint low, extent;
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &d);
    MPI_Type_size(d, &x);
    MPI_Type_get_extent(d, &low, &extent);
    assert(x == 16 && low == 0 && extent == 32);
    MPI_Type_free(&d);
    MPI_Type_size(MPI_SHORT, &x);
    assert(x == 2 && d == MPI_DATATYPE_NULL);
    MPI_Finalize();
    return 0;
}
