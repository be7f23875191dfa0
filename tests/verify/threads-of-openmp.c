/* Threads of OpenMP read what has come, and write what is sent, between calls: forks, joins and barriers put their accesses there.
 * ranks: 3
 * class: environment
 * expect: correct
 * options: -fopenmp
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int provided, rank, size, a[16], sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int k = 1; k < size; k++) {
            MPI_Recv(a, 16, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for num_threads(2) reduction(+ : sum)
            for (int i = 0; i < 16; i++)
                sum += a[i];
        }
        assert(sum == 48);
        return MPI_Finalize();
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 16; i++)
            a[i] = rank;
#pragma omp master
        MPI_Send(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for nowait
        for (int i = 0; i < 16; i++)
            a[i] = -1;
#pragma omp critical
        sum += a[0];
    }
    MPI_Finalize();
    return 0;
}
