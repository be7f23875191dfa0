/* The buffer for buffered sends is written before it is attached, and freed when it is detached.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, x, size;
    char *buffer = malloc(1000), *detached;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        memset(buffer, i, 1000);
        MPI_Buffer_attach(buffer, 1000);
        MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Buffer_detach(&detached, &size);
    }
    memset(detached, 7, 1000);
    free(detached);
    MPI_Finalize();
    return 0;
}
