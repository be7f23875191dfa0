/* The program says that messages need not come in the order of their sends (mpi_assert_allow_overtaking, §7.4.4), and relies on that order.
 * ranks: 2
 * class: matching
 * expect: crash
 * says: it is ended by SIGABRT
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x = 1, y = 2;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
        MPI_Send(&y, 1, MPI_INT, 1, 0, comm);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&y, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        assert(x == 1 && y == 2);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
