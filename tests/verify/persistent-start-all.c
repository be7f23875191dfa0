/* Persistent requests started together by a program that has attached no buffer: none of them needs one.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 7, y = 0;
    MPI_Request both[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Send_init(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    assert(y == 7);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    MPI_Finalize();
    return 0;
}
