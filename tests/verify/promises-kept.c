/* A program keeps all that it has promised of a communicator; a duplicate of that has promised nothing (§7.4.2, §7.4.4).
 * ranks: 3
 * class: matching
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    static const char *const keys[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                                       "mpi_assert_allow_overtaking"};
    int rank, x = 0, y = 0;
    MPI_Comm comm, copy;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    for (int i = 0; i < 4; i++)
        MPI_Info_set(info, keys[i], "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_dup(comm, &copy);
    if (rank == 0) {
        MPI_Recv(&x, 1, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
        MPI_Recv(&y, 1, MPI_INT, 2, 2, comm, MPI_STATUS_IGNORE);
        assert(x == 1 && y == 2);
        MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank, comm);
        if (rank == 2)
            MPI_Send(&rank, 1, MPI_INT, 0, rank, copy);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
