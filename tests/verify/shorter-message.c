/* The message is shorter than the buffer: the count says so, and the rest stays.
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
    double a[4] = {rank, rank, rank, rank};
    if (rank == 0)
        MPI_Send(a, 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(a, 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &s);
        MPI_Get_count(&s, MPI_DOUBLE, &x);
        assert(x == 2 && a[0] == 0 && a[1] == 0 && a[2] == 1 && a[3] == 1);
    }
    MPI_Finalize();
    return 0;
}
