/* An operation is made of no function.
 * ranks: 2
 * class: handles
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(0, 1, &op);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
