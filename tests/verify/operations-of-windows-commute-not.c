/* MPI_REPLACE and MPI_NO_OP are predefined operations, which do not commute; and no collective takes them.
 * ranks: 1
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int commutes = 1, x = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Op_commutative(MPI_REPLACE, &commutes);
    assert(!commutes);
    MPI_Op_commutative(MPI_SUM, &commutes);
    assert(commutes);
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
