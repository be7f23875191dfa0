/* An operation makes a datatype of its own: what its process has is not known then.
 * ranks: 2
 * class: collectives
 * expect: unsupported
 */
#include <mpi.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    MPI_Datatype two;
    MPI_Type_contiguous(2, *type, &two);
    MPI_Type_free(&two);
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
    (void)sum;
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
