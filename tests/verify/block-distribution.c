/* An array whose length is no multiple of the number of ranks is dealt out in blocks, changed, and gathered, at one rank and at all; then two messages
 * of different lengths are sent from it.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

enum { N = 1000000 };

int main(int argc, char **argv)
{
    int rank, ranks, count;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int counts[ranks], displs[ranks];
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = N / ranks + (i < N % ranks);
        displs[i] = at;
    }
    double *all = calloc(N, sizeof *all), *own = malloc(counts[rank] * sizeof *own), sum = 0, total;
    if (rank == 0)
        for (int i = 0; i < N; i++)
            all[i] = 1;
    MPI_Scatterv(all, counts, displs, MPI_DOUBLE, own, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; i++)
        sum += own[i] += rank;
    MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gatherv(own, counts[rank], MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        assert(total == N + counts[1] + 2. * counts[2]);
        assert(all[0] == 1 && all[displs[1] - 1] == 1 && all[displs[1]] == 2 && all[displs[2]] == 3 && all[N - 1] == 3);
    }
    MPI_Allgatherv(own, counts[rank], MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, MPI_COMM_WORLD);
    assert(all[0] == 1 && all[displs[2] - 1] == 2 && all[N - 1] == 3);
    if (rank == 0) {
        MPI_Send(all, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Send(all + 1, N / 3, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
        MPI_Send(all + N - 10, 10, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(all, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(all, N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        assert(count == N / 3 && all[0] == 1 && all[N / 3 - 1] == 1 && all[N / 3] == 1 && all[displs[1]] == 2);
        MPI_Recv(all, N / 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(all[9] == 3 && all[10] == 1);
    }
    free(all);
    free(own);
    MPI_Finalize();
    return 0;
}
