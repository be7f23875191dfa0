/* Only one rank sets an info object of a window: MPI_Win_set_info is a collective call, and the other one comes to a fence.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Info info;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    if (rank == 1)
        MPI_Win_set_info(w, info);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
