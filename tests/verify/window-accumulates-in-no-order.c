/* A rank sums to a place and replaces what is there in one epoch of a window whose accumulates are not ordered: which comes first is open, and
 * accumulates that meet must be of one operation.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 2, y = 5, a[2] = {7, 7};
    MPI_Info info;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_create(a, sizeof a, sizeof *a, info, MPI_COMM_WORLD, &w);
    MPI_Info_free(&info);
    MPI_Win_fence(0, w);
    if (rank == 1) {
        MPI_Accumulate(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, w);
        MPI_Accumulate(&y, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, w);
    }
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
