/* A process duplicates a communicator with an info object, and another one by the function without.
 * ranks: 2
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm part;
    if (rank == 0)
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &part);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
