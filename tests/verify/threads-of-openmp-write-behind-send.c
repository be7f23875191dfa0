/* The master thread of OpenMP sends, and the others write there when they come to it: `master` has no barrier at its end.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 * options: -fopenmp
 */
#include <mpi.h>
#include <omp.h>

int main(int argc, char **argv)
{
    int provided, rank, a[16] = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
#pragma omp parallel num_threads(2)
        {
#pragma omp master
            MPI_Send(a, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
            if (omp_get_thread_num() == 1) {
                for (int i = 0; i < 200000000; i++)
                    __asm__ volatile("");
                for (int i = 0; i < 16; i++)
                    a[i] = 0;
            }
        }
    } else {
        MPI_Recv(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
