/* All ranks set an info object of a communicator and of a window, and each may say something else.
 * ranks: 3
 * class: communicators and groups
 * expect: correct
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
    MPI_Info_set(info, "mpi_assert_no_any_tag", rank ? "true" : "false");
    MPI_Comm_set_info(MPI_COMM_WORLD, rank == 2 ? MPI_INFO_NULL : info);
    MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_set_info(w, info);
    MPI_Win_free(&w);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
