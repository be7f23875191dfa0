/* A window of characters.
 * ranks: 2
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
    char c[8] = "........", d = 'a' + rank;
    MPI_Win_create(c, sizeof c, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    MPI_Put(&d, 1, MPI_CHAR, 1 - rank, 3 + rank, 1, MPI_CHAR, w);
    MPI_Win_fence(0, w);
    assert(c[3] == (rank ? 'a' : '.') && c[4] == (rank ? '.' : 'b'));
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
