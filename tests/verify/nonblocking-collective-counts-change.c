/* The array of counts of a nonblocking collective changes before that is complete.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 * options: -O0
 * says: `recvcounts` of MPI_Iallgatherv is written before its request is complete
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, all[2], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Iallgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
    counts[1] = 2;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return counts[0] - 1;
}
