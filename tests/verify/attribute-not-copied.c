/* A function that copies an attribute fails, so that there is no duplicate, and none to free.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <stddef.h>

static int fails(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    return (void)comm, (void)key, (void)extra, (void)in, (void)out, *flag = 1, MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    int key, value = 1, class = 0;
    MPI_Comm comm, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(fails, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &value);
    int err = MPI_Comm_dup(comm, &copy);
    MPI_Error_class(err, &class);
    if (class != MPI_ERR_OTHER || copy != MPI_COMM_NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
