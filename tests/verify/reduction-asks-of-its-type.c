/* A reduction function of the program asks how large its datatype is: functions that no other process sees may be called in it.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    int size;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n; i++)
        *(int *)((char *)inout + i * extent) += *(int *)((char *)in + i * extent) + size - (int)lower;
}

int main(int argc, char **argv)
{
    int rank, x[4] = {0, 1, 2, 3}, sum[4] = {0};
    MPI_Datatype wide;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(x, sum, 2, wide, op, MPI_COMM_WORLD);
    assert(sum[0] == 4 && sum[1] == 0 && sum[2] == 8 && sum[3] == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&wide);
    MPI_Finalize();
    return 0;
}
