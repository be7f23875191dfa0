/* An operation calls exit.
 * ranks: 2
 * class: collectives
 * expect: exit
 */
#include <mpi.h>
#include <stdlib.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)x, (void)y, (void)n, (void)type;
    exit(4);
}

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
