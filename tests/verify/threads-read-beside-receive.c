/* A thread of OpenMP reads the buffer that the other one receives into, and nothing puts this before the call or behind it.
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
    int provided, rank, a = 0, b = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 0, &a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            b = a;
    }
    MPI_Finalize();
    return b < 0;
}
