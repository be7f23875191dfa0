/* The twin: no rank brings a zero.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>

static void divide(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        if (((int *)y)[i] == 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
        ((int *)y)[i] = ((int *)x)[i] / ((int *)y)[i];
    }
}

int main(int argc, char **argv)
{
    int rank, value, quotient;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank == 0 ? 7 : 2;
    MPI_Op_create(divide, 0, &op);
    MPI_Reduce(&value, &quotient, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
