/* In place, the input of all parts is where the result will be.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, a[3], b[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        a[i] = rank + 10 * i;
    MPI_Reduce_scatter_block(MPI_IN_PLACE, a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(a[0] == 3 + 30 * rank);
    for (int i = 0; i < 6; i++)
        b[i] = rank + 10 * i;
    int counts[3] = {3, 1, 2}, first[3] = {0, 3, 4};
    MPI_Reduce_scatter(MPI_IN_PLACE, b, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    assert(b[0] == 2 + 10 * first[rank]);
    MPI_Finalize();
    return 0;
}
