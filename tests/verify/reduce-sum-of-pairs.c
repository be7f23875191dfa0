/* Pairs have a greatest and a least one, no sum.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int mine[2] = {1, 2}, all[2];
    MPI_Init(&argc, &argv);
    MPI_Allreduce(mine, all, 1, MPI_2INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
