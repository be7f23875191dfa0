/* Each process fills its part of a shared window and reads its neighbour's, with a fence between.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 8 };
int main(int argc, char **argv)
{
    int rank, size, unit;
    double *own, *other, sum = 0;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate_shared(N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &other);
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        own[i] = N * rank + i + 1;
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++)
        sum += other[i];
    if (sum != N * N * ((rank + 1) % size) + N * (N + 1) / 2.0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
