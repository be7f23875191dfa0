/* MPI_MODE_NOCHECK is given to MPI_Win_start, and not to the post that it meets, though that has come already.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0, other;
    MPI_Group all, one;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    other = 1 - rank;
    MPI_Group_incl(all, 1, &other, &one);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    if (rank == 1)
        MPI_Win_post(one, 0, w);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_start(one, MPI_MODE_NOCHECK, w);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
        MPI_Win_complete(w);
    } else {
        MPI_Win_wait(w);
    }
    MPI_Win_free(&w);
    MPI_Group_free(&one);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
