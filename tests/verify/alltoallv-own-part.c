/* What a process receives from itself is as much as it sends to itself.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x[4] = {1, 2, 3, 4}, y[4], sent[2] = {1, 1}, received[2] = {1, 1}, at[2] = {0, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        received[1] = 2;
    MPI_Alltoallv(x, sent, at, MPI_INT, y, received, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
