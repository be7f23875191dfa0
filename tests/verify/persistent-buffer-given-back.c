/* The buffer of a persistent request is the program's own again when the request is freed: for numbers of another type, which another
 * persistent request receives.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank;
    union {
        double d;
        int i[2];
    } a = {1};
    MPI_Request first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv_init(&a, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &first);
        MPI_Start(&first);
        MPI_Wait(&first, MPI_STATUS_IGNORE);
        assert(a.d == 7);
        MPI_Request_free(&first);
        a.i[1] = 12;
        MPI_Recv_init(a.i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &second);
        MPI_Start(&second);
        MPI_Wait(&second, MPI_STATUS_IGNORE);
        assert(a.i[0] == 3 && a.i[1] == 12);
        MPI_Request_free(&second);
    } else {
        double x = 7;
        int y = 3;
        MPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
