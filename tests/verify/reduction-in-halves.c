/* A reduction function reads a variable that the two halves of the processes set differently, each for its own communicator.
 * ranks: 4
 * class: collectives
 * expect: correct
 */
#include <mpi.h>

static int modulus;

static void modular(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] = (((int *)in)[i] + ((int *)inout)[i]) % modulus;
}

int main(int argc, char **argv)
{
    int rank, own, sum;
    MPI_Comm half;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Op_create(modular, 1, &op);
    modulus = rank / 2 ? 5 : 7;
    own = rank % 2 ? 3 : 4;
    MPI_Allreduce(&own, &sum, 1, MPI_INT, op, half);
    if (sum != 7 % modulus)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Op_free(&op);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
