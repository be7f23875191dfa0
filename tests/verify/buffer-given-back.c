/* The buffer of buffered sends is given back as it was attached.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    static char room[4 + MPI_BSEND_OVERHEAD], more[256];
    void *back;
    int rank, x = 3, bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&back, &bytes);
        assert(back == room && bytes == (int)sizeof room);
        MPI_Buffer_attach(more, sizeof more);
        MPI_Buffer_detach(&back, &bytes);
        assert(back == more && bytes == (int)sizeof more);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
