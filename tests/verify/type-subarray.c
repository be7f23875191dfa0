/* Parts of an array in the order of C, in that of Fortran, and dealt to a grid of processes.
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
    int a[12], b[4] = {0}, sizes[2] = {3, 4}, parts[2] = {2, 2}, starts[2] = {0, 1};
    for (int i = 0; i < 12; i++)
        a[i] = i;
    for (int order = 0; order < 2; order++) {
        MPI_Datatype t;
        MPI_Type_create_subarray(2, sizes, parts, starts, order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &t);
        MPI_Type_commit(&t);
        MPI_Sendrecv(a, 1, t, rank, 0, b, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(order ? b[0] == 3 && b[1] == 4 && b[2] == 6 && b[3] == 7 : b[0] == 1 && b[1] == 2 && b[2] == 5 && b[3] == 6);
        MPI_Type_free(&t);
    }
    int n = 4, cyclic = MPI_DISTRIBUTE_CYCLIC, any = MPI_DISTRIBUTE_DFLT_DARG, grid = 2;
    MPI_Datatype t;
    MPI_Type_create_darray(2, rank, 1, &n, &cyclic, &any, &grid, MPI_ORDER_C, MPI_INT, &t);
    MPI_Type_commit(&t);
    MPI_Sendrecv(a, 1, t, rank, 0, b, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(b[0] == rank && b[1] == rank + 2);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
