/* A process splits a communicator by a type, and another one by a colour.
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
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
