/* Each rank puts its edge into the next rank, for two rounds.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    for (int i = 0; i < 2; i++) {
        MPI_Win_fence(0, w);
        x = 10 * i + rank;
        MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, i, 1, MPI_INT, w);
        MPI_Win_fence(0, w);
        assert(a[i] == 10 * i + (rank + size - 1) % size);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
