/* A receive that is cancelled may have its message.
 * ranks: 2
 * class: requests
 * expect: crash
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 0, y = 0, flag = 0;
    static char room[1000];
    void *back;
    int bytes;
    MPI_Status s;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
        MPI_Cancel(&q);
        MPI_Wait(&q, &s);
        MPI_Test_cancelled(&s, &flag);
        if (flag)
            MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(flag);
    } else {
        MPI_Buffer_detach(&back, &bytes);
    }
    MPI_Finalize();
    return 0;
}
