/* A loop of OpenMP without a barrier at its end fills what the master thread then sends.
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
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(static) nowait
            for (int i = 0; i < 16; i++)
                a[i] = 0;
#pragma omp master
            {
                for (int i = 0; i < 10000000; i++)
                    __asm__ volatile("");
                MPI_Send(a, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
            }
        }
    } else {
        MPI_Recv(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
