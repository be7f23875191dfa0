/* An array whose length is no multiple of the number of ranks is dealt out in blocks, and the ranks forget that the first ones get one element more.
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
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = N / ranks + (i < N % ranks);
        displs[i] = at;
    }
    double *all = calloc(N, sizeof *all), *own = calloc(N, sizeof *own);
    MPI_Scatterv(all, counts, displs, MPI_DOUBLE, own, N / ranks, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(all);
    free(own);
    MPI_Finalize();
    return 0;
}
