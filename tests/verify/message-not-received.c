/* A process comes to its end without a message that was sent to it.
 * ranks: 2
 * class: matching
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

static char room[1000];

int main(int argc, char **argv)
{
    int rank, x = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
