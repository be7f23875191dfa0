/* Each process passes its own part of the receive buffer of MPI_Allgather as the send buffer, where MPI_IN_PLACE is meant.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { EACH = 300 };
    int rank, *all = calloc(2 * EACH, sizeof *all);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allgather(all + rank * EACH, EACH, MPI_INT, all, EACH, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    free(all);
    return 0;
}
