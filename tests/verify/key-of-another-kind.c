/* A key of windows is used for a communicator.
 * ranks: 1
 * class: communicators and groups
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

static int delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key;
    MPI_Init(&argc, &argv);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    MPI_Finalize();
    return 0;
}
