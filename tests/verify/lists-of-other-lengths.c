/* Lists whose length is not the one number of the call: ranges of groups, dimensions that are left open.
 * ranks: 4
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    int ranges[2][3] = {{3, 2, -1}, {0, 0, 1}};
    MPI_Group world, some;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 2, ranges, &some);
    MPI_Group_size(some, &n);
    assert(n == 3);
    MPI_Group_rank(some, &n);
    assert(n == (rank == 3 ? 0 : rank == 2 ? 1 : rank == 0 ? 2 : MPI_UNDEFINED));
    MPI_Group_free(&some);
    MPI_Group_range_excl(world, 1, ranges, &some);
    MPI_Group_size(some, &n);
    assert(n == 2);
    MPI_Group_free(&some);
    MPI_Group_free(&world);

    int dims[3] = {0, 2, 0};
    MPI_Dims_create(4, 3, dims);
    assert(dims[0] == 2 && dims[1] == 2 && dims[2] == 1);
    MPI_Finalize();
    return 0;
}
