/* Threads of OpenMP write what is being sent: forks and joins put the stores between the call that begins and the one that waits.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 * options: -fopenmp
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int provided, rank, a[16] = {0};
    MPI_Request q;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(a, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 16; i++)
            a[i] = 0;
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
