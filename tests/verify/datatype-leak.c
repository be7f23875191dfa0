/* A datatype is not freed.
 * ranks: 2
 * class: leaks
 * expect: leak
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
    MPI_Type_contiguous(2, MPI_INT, &d);
    MPI_Type_commit(&d);
    MPI_Finalize();
    return 0;
}
