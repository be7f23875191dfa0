/* The counts of collectives are read while they go on, and changed when they are complete.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, seen, from[2] = {1, 2}, to[2], counts[2] = {1, 1}, displs[2] = {0, 1};
    MPI_Request q, r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ialltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, MPI_COMM_WORLD, &q);
    seen = counts[0] + displs[1];
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    counts[0] = counts[1] = 2;
    displs[1] = 0;
    counts[0] = counts[1] = 1, displs[1] = 1;
    MPI_Iallgatherv(&rank, 1, MPI_INT, to, counts, displs, MPI_INT, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    counts[0] = 7;
    MPI_Finalize();
    return counts[0] != 7 || seen != 2;
}
