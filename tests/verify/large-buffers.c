/* Messages and collectives of buffers that are too large to look at each element: parts of them are carried, and come where they belong.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 1000000 };

int main(int argc, char **argv)
{
    int rank, wrong = 0, count, *whole = malloc(N * sizeof *whole), *half = malloc(N / 2 * sizeof *half);
    double *sums = malloc(N / 2 * sizeof *sums), *own = malloc(N / 2 * sizeof *own);
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        whole[i] = rank == 0 ? i : -1;
    if (rank == 0) {
        MPI_Send(whole, N, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Isend(whole + N / 2, N / 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(whole, N, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != N || status.MPI_TAG != 0;
        /* There is room for more than comes. */
        MPI_Recv(whole, N, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != N / 2;
        for (int i = 0; i < N; i++)
            wrong += whole[i] != (i < N / 2 ? i + N / 2 : i);
    }
    MPI_Scatter(whole, N / 2, MPI_INT, half, N / 2, MPI_INT, 0, MPI_COMM_WORLD);
    wrong += half[0] != rank * N / 2 || half[N / 2 - 1] != (rank + 1) * N / 2 - 1;
    for (int i = 0; i < N / 2; i++)
        own[i] = rank + 0.5 * i;
    MPI_Allreduce(own, sums, N / 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N / 2; i++)
        wrong += sums[i] != 1.0 + i;
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
