/* A communicator has a buffer of its own for buffered sends (MPI 4.1): its messages fill that one and no other, flushing empties it, and
 * detaching gives it back.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

/* The headers of older libraries lack these. */
__attribute__((weak)) int MPI_Comm_attach_buffer(MPI_Comm, void *, int);
__attribute__((weak)) int MPI_Comm_detach_buffer(MPI_Comm, void *, int *);
__attribute__((weak)) int MPI_Comm_flush_buffer(MPI_Comm);
__attribute__((weak)) int MPI_Comm_iflush_buffer(MPI_Comm, MPI_Request *);
__attribute__((weak)) int MPI_Buffer_flush(void);
__attribute__((weak)) int MPI_Buffer_iflush(MPI_Request *);
#ifndef MPI_BUFFER_AUTOMATIC
#define MPI_BUFFER_AUTOMATIC (void *)-2
#endif

int main(int argc, char **argv)
{
    enum { BYTES = sizeof(int) + MPI_BSEND_OVERHEAD };
    int rank, size, got[4];
    void *world = malloc(BYTES), *process = malloc(2 * BYTES), *back;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int x = 5, y = 6;
        MPI_Buffer_attach(process, 2 * BYTES);
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Comm_attach_buffer(MPI_COMM_WORLD, world, BYTES);
        MPI_Bsend(&y, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Comm_flush_buffer(MPI_COMM_WORLD);
        MPI_Bsend(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size);
        assert(back == world && size == BYTES);
        MPI_Buffer_iflush(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Buffer_flush();
        MPI_Buffer_detach(&back, &size);
        assert(back == process && size == 2 * BYTES);
        MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0);
        MPI_Bsend(&y, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size);
        assert(back == MPI_BUFFER_AUTOMATIC);
    } else {
        for (int i = 0; i < 4; i++)
            MPI_Recv(&got[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(got[0] == 5 && got[1] == 6 && got[2] == 5 && got[3] == 6);
    }
    free(world);
    free(process);
    MPI_Finalize();
    return 0;
}
