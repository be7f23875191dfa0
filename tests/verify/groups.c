/* A communicator of two of three.
 * ranks: 3
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
    MPI_Group all, two;
    MPI_Comm c;
    int which[2] = {2, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, which, &two);
    MPI_Comm_create(MPI_COMM_WORLD, two, &c);
    if (c != MPI_COMM_NULL) {
        MPI_Comm_rank(c, &x);
        assert(x == (rank == 2 ? 0 : 1));
        MPI_Comm_free(&c);
    } else
        assert(rank == 1);
    MPI_Group_free(&two);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
