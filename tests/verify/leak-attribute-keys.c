/* Keys of attributes are made and not freed, one with a function and one without.
 * ranks: 1
 * class: leaks
 * expect: leak
 * says: it does not free 2 attribute keys before MPI_Finalize
 */
#include <mpi.h>

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int one, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &one, 0);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &other, 0);
    MPI_Finalize();
    return 0;
}
