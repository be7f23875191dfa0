/* A communicator is split by the memory that processes share, which is a resource with a name; another one nobody has. Null handles have names.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    int size, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm part;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    assert(part == MPI_COMM_NULL);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
    assert(part != MPI_COMM_NULL);
    MPI_Comm_size(part, &size);
    assert(size == 2);
    MPI_Comm_free(&part);
    MPI_Info_free(&info);
    MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
    assert(!strcmp(name, "MPI_COMM_NULL") && length == 13);
    MPI_Finalize();
    return 0;
}
