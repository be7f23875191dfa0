/* A matched probe keeps its message for the receive.
 * ranks: 3
 * class: matching
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, z = 0, flag = 0;
    MPI_Status s;
    MPI_Request q, r;
    (void)x, (void)y, (void)z, (void)flag, (void)s, (void)q, (void)r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Message m;
    x = 10 * rank;
    if (rank == 0)
        for (int i = 1; i < size; i++) {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
            MPI_Mrecv(&y, 1, MPI_INT, &m, &s);
            assert(y == 10 * s.MPI_SOURCE && m == MPI_MESSAGE_NULL);
        }
    else
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
