/* Two receives are tested until both are done.
 * ranks: 3
 * class: requests
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
    int a[2] = {0};
    MPI_Request qs[2];
    x = rank;
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(a + i, 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, qs + i);
        while (!flag)
            MPI_Testall(2, qs, &flag, MPI_STATUSES_IGNORE);
        assert(a[0] == 1 && a[1] == 2);
    } else
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
