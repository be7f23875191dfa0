/* An operation dereferences a null pointer if the message of rank 2 came first: so two receives of any source decide whether the reduction crashes.
 * ranks: 3
 * class: collectives
 * expect: crash
 */
#include <mpi.h>
#include <stddef.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        int *at = ((int *)x)[i] == 2 ? NULL : (int *)x;
        ((int *)y)[i] += at[i];
    }
}

int main(int argc, char **argv)
{
    int rank, first = 0, second = 0, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&first, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
