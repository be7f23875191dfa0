/* Threads of OpenMP write what the master thread sends, ordered by a critical section, by an atomic flag, and by tasks that are waited for.
 * ranks: 2
 * class: environment
 * expect: correct
 * instrumented: correct
 * options: -fopenmp
 */
#include <mpi.h>
#include <assert.h>
#include <omp.h>

int main(int argc, char **argv)
{
    int provided, rank, a[3] = {0}, b, is_ready = 0, done = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int i = 0; i < 3; i++) {
            MPI_Recv(&b, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(b == 1);
        }
        return MPI_Finalize();
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp critical
            {
                a[0] = 1;
                done = 1;
            }
            a[1] = 1;
#pragma omp atomic write
            is_ready = 1;
        } else {
            int now = 0;
            while (!now) {
#pragma omp critical
                now = done;
            }
            MPI_Send(&a[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            for (now = 0; !now;) {
#pragma omp atomic read
                now = is_ready;
            }
            MPI_Send(&a[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
#pragma omp barrier
#pragma omp single
        {
#pragma omp task
            a[2] = 1;
        }
    }
    MPI_Send(&a[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
