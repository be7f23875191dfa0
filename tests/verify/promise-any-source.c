/* A probe names MPI_ANY_SOURCE, which the program has promised not to do (mpi_assert_no_any_source, §7.4.4).
 * ranks: 2
 * class: matching
 * expect: erroneous
 * says: MPI_Probe: a probe names a wildcard that the program has promised not to use
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, comm);
    } else {
        MPI_Probe(MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
