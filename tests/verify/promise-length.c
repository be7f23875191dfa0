/* A message is shorter than its receive, which the program has promised that none is (mpi_assert_exact_length, §7.4.4).
 * ranks: 2
 * class: matching
 * expect: erroneous
 * says: the message is shorter or longer than its receive buffer
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {0, 0};
    MPI_Comm comm;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    if (rank == 0)
        MPI_Send(x, 1, MPI_INT, 1, 0, comm);
    else
        MPI_Recv(x, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
