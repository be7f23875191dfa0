/* A receive whose request was freed comes to its end in MPI_Finalize at the latest (MPI-4.1, sections 3.7.3 and 11.2.2).
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 5;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
