/* All call MPI_Comm_create_group, and those that are not in the group get MPI_COMM_NULL at once (MPI-4.1, section 7.4.2).
 * ranks: 4
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int primes[] = {2, 3};
    int rank, size = 0;
    MPI_Group world, some;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, primes, &some);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &comm);
    if ((comm == MPI_COMM_NULL) != (rank < 2))
        abort();
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &size);
        MPI_Comm_free(&comm);
    }
    if (size != (rank < 2 ? 0 : 2))
        abort();
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
