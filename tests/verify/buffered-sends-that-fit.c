/* Two buffered sends in a buffer that has room for both.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {1, 2};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes, more;
    char *room;
    MPI_Pack_size(2, MPI_INT, MPI_COMM_WORLD, &bytes);
    bytes = 2 * (bytes + MPI_BSEND_OVERHEAD);
    room = malloc(bytes);
    if (rank == 0) {
        MPI_Buffer_attach(room, bytes);
        MPI_Bsend(x, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Bsend(x, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Buffer_detach(&room, &more);
    } else {
        MPI_Recv(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(x, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(room);
    MPI_Finalize();
    return 0;
}
