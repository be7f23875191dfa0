/* Buffers are freed, and moved, when the operations on them are complete; a buffered send has let go of its buffer.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *b = calloc(100, sizeof *b);
    if (rank == 0) {
        MPI_Request r;
        int room = 100 * sizeof *b + MPI_BSEND_OVERHEAD;
        char *space = malloc(room);
        MPI_Isend(b, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        b = realloc(b, 100000 * sizeof *b);
        MPI_Buffer_attach(space, room);
        MPI_Bsend(b, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
        free(b);
        MPI_Buffer_detach(&space, &room);
        free(space);
    } else {
        MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(b);
    }
    MPI_Finalize();
    return 0;
}
