/* An operation gives something else at each rank, because it asks which one runs it.
 * ranks: 2
 * class: collectives
 * expect: exit
 */
#include <mpi.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    int rank;
    (void)type;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < *n; i++)
        ((int *)y)[i] += ((int *)x)[i] + rank;
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
    return sum != 2;
}
