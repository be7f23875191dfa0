/* MPI_Reduce_local does not have MPI_IN_PLACE.
 * ranks: 1
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int sum = 1;
    MPI_Init(&argc, &argv);
    MPI_Reduce_local(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM);
    MPI_Finalize();
    return 0;
}
