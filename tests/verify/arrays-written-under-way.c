/* The counts of a collective are changed before it is complete.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ialltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, MPI_COMM_WORLD, &q);
    if (rank == 1)
        counts[0] = 0;
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
