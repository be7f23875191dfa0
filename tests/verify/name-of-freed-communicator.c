/* The name of a communicator is asked for when it is freed.
 * ranks: 2
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm comm, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "one of ours");
    copy = comm;
    MPI_Comm_free(&comm);
    MPI_Comm_get_name(copy, name, &length);
    MPI_Finalize();
    return 0;
}
