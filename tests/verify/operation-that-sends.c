/* An operation sends a message: no communication function may be called in it (MPI 4.1, section 6.9.5).
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

static void add(void *x, void *y, int *n, MPI_Datatype *type)
{
    MPI_Request q;
    (void)type;
    MPI_Isend(x, *n, MPI_INT, 0, 0, MPI_COMM_SELF, &q);
    MPI_Recv(y, *n, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
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
    return 0;
}
