/* An operation that adds what a variable holds, which is another value in each behaviour: what it gives in one says nothing of the other.
 * ranks: 3
 * class: collectives
 * expect: unsupported
 * random: crash
 */
#include <assert.h>
#include <mpi.h>

static int more;

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)y)[i] += ((int *)x)[i] + more;
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum, other;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    if (rank == 0) {
        MPI_Recv(&more, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    assert(sum != 5);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
