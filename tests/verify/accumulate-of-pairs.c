/* Pairs are accumulated as one each: the greatest value, and the least rank that has it.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    struct { double value; int rank; } mine, all = {-1, 99};
    MPI_Win win;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&all, sizeof all, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    mine.value = rank ? 7.5 : 2;
    mine.rank = rank;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        assert(all.value == 7.5 && all.rank == 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
