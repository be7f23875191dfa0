/* An operation is used that was freed: the handle is a copy.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int x = 1, y = 0;
    MPI_Op op, copy;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    copy = op;
    MPI_Op_free(&op);
    MPI_Allreduce(&x, &y, 1, MPI_INT, copy, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
