/* Parts that all lie far behind where the buffer begins.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *b = calloc(400, sizeof *b), counts[2] = {rank, rank}, places[2] = {800, 1200};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    counts[0] = rank, counts[1] = 1;
    b[200] = 10 * rank, b[300] = 10 * rank + 1;
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, b, counts, places, types, MPI_COMM_WORLD);
    assert(rank ? b[200] == 1 && b[300] == 11 : b[300] == 10);
    free(b);
    MPI_Finalize();
    return 0;
}
