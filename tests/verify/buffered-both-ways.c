/* Two processes send each other buffered messages, detach the buffer, and exchange by MPI_Isendrecv: each message may leave the buffer at once
 * or when it is received.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 12 };

int main(int argc, char **argv)
{
    int rank, got, size, in[N], out[N];
    static char space[N * (sizeof(int) + MPI_BSEND_OVERHEAD)];
    void *old;
    MPI_Request requests[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Buffer_attach(space, sizeof space);
    for (int i = 0; i < N; i++)
        MPI_Bsend(&i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got != i)
            abort();
    }
    MPI_Buffer_detach(&old, &size);
    for (int i = 0; i < N; i++) {
        out[i] = 2 * i;
        MPI_Isendrecv(&out[i], 1, MPI_INT, 1 - rank, i, &in[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        if (in[i] != 2 * i)
            abort();
    MPI_Finalize();
    return 0;
}
