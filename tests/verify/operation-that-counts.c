/* An operation counts how often it was called, and nobody looks at the number in it.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

static int calls;

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)type;
    calls++;
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
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    assert(sum == 2);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
