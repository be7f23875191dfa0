/* Only one rank sets an info object of a communicator: MPI_Comm_set_info is a collective call, and the others come to another one.
 * ranks: 2
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    if (rank == 0)
        MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
