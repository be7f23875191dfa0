/* An operation divides by the other rank's zero, and a signal ends the process that runs it.
 * ranks: 2
 * class: collectives
 * expect: crash
 */
#include <mpi.h>

static void divide(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((volatile int *)y)[i] = ((int *)x)[i] / ((int *)y)[i];
}

int main(int argc, char **argv)
{
    int rank, value, quotient;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank == 0 ? 7 : 0;
    MPI_Op_create(divide, 0, &op);
    MPI_Reduce(&value, &quotient, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
