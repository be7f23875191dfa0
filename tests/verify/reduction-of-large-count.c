/* A reduction function that is told with an MPI_Count how many items there are.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static void add(void *in, void *inout, MPI_Count *n, MPI_Datatype *type)
{
    (void)type;
    for (MPI_Count i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int rank, x[3] = {1, 2, 3}, sum[3] = {0};
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x[0] += rank;
    MPI_Op_create_c(add, 1, &op);
    MPI_Allreduce(x, sum, 3, MPI_INT, op, MPI_COMM_WORLD);
    assert(sum[0] == 3 && sum[1] == 4 && sum[2] == 6);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
