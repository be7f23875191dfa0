/* A persistent request stands twice in the array of MPI_Waitall: the second wait finds it inactive, which is no error.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int y = 7;
        MPI_Send(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Request r[2];
        MPI_Recv_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Start(&r[0]);
        r[1] = r[0];
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        assert(x == 7 && r[0] == r[1] && r[0] != MPI_REQUEST_NULL);
        MPI_Request_free(&r[0]);
    }
    MPI_Finalize();
    return 0;
}
