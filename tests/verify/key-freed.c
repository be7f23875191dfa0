/* A freed key is used.
 * ranks: 1
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, freed;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, NULL);
    freed = key;
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_attr(MPI_COMM_WORLD, freed, NULL);
    MPI_Finalize();
    return 0;
}
