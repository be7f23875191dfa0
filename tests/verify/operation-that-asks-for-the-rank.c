/* An operation that makes a call which is not answered while it runs: what comes of its result says nothing of the program.
 * ranks: 2
 * class: collectives
 * expect: unsupported
 */
#include <assert.h>
#include <mpi.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    int rank;
    (void)type;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < *n; i++)
        ((int *)y)[i] += ((int *)x)[i];
}

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    assert(sum == 2);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
