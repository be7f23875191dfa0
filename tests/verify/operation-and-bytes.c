/* A function of the program reduces several integers, and a message of one byte comes behind: elements are bytes from there on.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

static void larger(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int rank, given[3], got[3];
    char byte;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(larger, 1, &op);
    for (int i = 0; i < 3; i++)
        given[i] = 10 * rank + i;
    MPI_Allreduce(given, got, 3, MPI_INT, op, MPI_COMM_WORLD);
    assert(got[0] == 10 && got[1] == 11 && got[2] == 12);
    byte = rank == 0 ? 'x' : 0;
    MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert(byte == 'x');
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
