/* The group of a window on part of the processes.
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
    MPI_Comm c;
    MPI_Group g;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &c);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, c, &w);
    MPI_Win_get_group(w, &g);
    MPI_Group_size(g, &y);
    assert(y == (rank ? 2 : 1));
    MPI_Group_free(&g);
    MPI_Win_fence(0, w);
    x = 8;
    if (rank == 1)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    assert(a[0] == (rank == 2 ? 8 : 0));
    MPI_Win_free(&w);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
