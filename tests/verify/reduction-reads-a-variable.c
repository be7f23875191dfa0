/* A reduction function reads how large its matrices are from a variable that is set after MPI_Op_create, and once more later: where all
 * behaviours are followed, it is not known of which time operands are.
 * ranks: 2
 * class: collectives
 * expect: unsupported
 * random: correct
 */
#include <mpi.h>

static int scale = 1;

static void scaled(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] = scale * (((int *)in)[i] + ((int *)inout)[i]);
}

int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(scaled, 1, &op);
    for (int i = 2; i < 5; i++) {
        int own = rank + 10 * i;
        scale = i;
        MPI_Allreduce(&own, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
        if (sum != i * (20 * i + 1))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
