/* An operation asks which rank runs it, how many there are, and where the data of its datatype is: what takes no part in communication may be called in it.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    int rank, size, between, ready;
    MPI_Aint lower, extent;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &between);
    MPI_Initialized(&ready);
    MPI_Type_get_true_extent(*type, &lower, &extent);
    assert(rank >= 0 && rank < size && size == 2 && !between && ready && lower == 0 && extent == sizeof(int));
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    assert(rank == 0 && size == 1);
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
