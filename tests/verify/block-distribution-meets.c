/* Blocks of different lengths are gathered, and each begins at the last element of the one before.
 * ranks: 3
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 100000 };

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int counts[ranks], displs[ranks];
    for (int i = 0, at = 0; i < ranks; at += counts[i++] - 1) {
        counts[i] = N / ranks + (i < N % ranks);
        displs[i] = at;
    }
    double *all = calloc(N, sizeof *all), *own = calloc(N, sizeof *own);
    MPI_Gatherv(own, counts[rank], MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(all);
    free(own);
    MPI_Finalize();
    return 0;
}
