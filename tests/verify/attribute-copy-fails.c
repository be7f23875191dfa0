/* A function that copies an attribute fails: MPI_Comm_dup, which called it, is erroneous (§7.7.2).
 * ranks: 1
 * class: handles
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

static int refuse(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)value, (void)copy;
    *flag = 0;
    return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int key;
    MPI_Comm one, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(one, key, &key);
    MPI_Comm_dup(one, &other);
    MPI_Comm_free(&other);
    MPI_Comm_free(&one);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
