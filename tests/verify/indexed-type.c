/* Elements here and there.
 * ranks: 2
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
    int a[6] = {0, 1, 2, 3, 4, 5}, b[3] = {0}, n[2] = {1, 2}, at[2] = {4, 1};
    MPI_Datatype d;
    MPI_Type_indexed(2, n, at, MPI_INT, &d);
    MPI_Type_commit(&d);
    if (rank == 0)
        MPI_Send(a, 1, d, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Recv(b, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, &s);
        assert(b[0] == 4 && b[1] == 1 && b[2] == 2);
    }
    MPI_Type_free(&d);
    MPI_Finalize();
    return 0;
}
