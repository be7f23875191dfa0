/* A function that deletes an attribute fails: MPI_Comm_free, which called it, is erroneous (§7.7.2).
 * ranks: 1
 * class: handles
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra, (void)value;
    return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int key;
    MPI_Comm one;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_attr(one, key, &key);
    MPI_Comm_free(&one);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
