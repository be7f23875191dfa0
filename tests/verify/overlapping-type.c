/* A datatype whose entries overlap is received into.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
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
    int a[4] = {0}, n[2] = {2, 2}, at[2] = {0, 1};
    MPI_Datatype d;
    MPI_Type_indexed(2, n, at, MPI_INT, &d);
    MPI_Type_commit(&d);
    if (rank == 0)
        MPI_Send(a, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(a, 1, d, 0, 0, MPI_COMM_WORLD, &s);
    MPI_Type_free(&d);
    MPI_Finalize();
    return 0;
}
