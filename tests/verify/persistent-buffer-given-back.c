/* The buffer of a persistent request is the program's own again when the request is freed, whatever other requests are started.
 * ranks: 2
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, a = 1, b = 2, c = 3;
    MPI_Request first, second, third;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv_init(&a, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &first);
        MPI_Recv_init(&b, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &second);
        MPI_Recv_init(&c, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &third);
        MPI_Start(&first);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        MPI_Request_free(&first);
        assert(a == 7);
        MPI_Start(&second);
        /* Neither that one's buffer nor that of the request that is not started is in use. */
        a = 11;
        c = 12;
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        assert(a == 11 && b == 7 && c == 12);
        MPI_Request_free(&second);
        MPI_Request_free(&third);
    } else {
        int x = 7;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
