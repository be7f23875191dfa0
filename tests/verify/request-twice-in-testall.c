/* One request stands twice in the array of MPI_Testall.
 * ranks: 2
 * class: requests
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Request r[2];
        int flag = 0;
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[0]);
        r[1] = r[0];
        while (!flag)
            MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
