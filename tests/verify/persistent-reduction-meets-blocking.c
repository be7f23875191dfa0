/* A process reduces, and another one only makes a persistent reduction.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int x = rank, y = 0;
    MPI_Request r;
    if (rank == 0) {
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else {
        MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
        MPI_Request_free(&r);
    }
    MPI_Finalize();
    return 0;
}
