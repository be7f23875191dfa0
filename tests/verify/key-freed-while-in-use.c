/* A key that is freed is there until the last attribute is deleted: its copy may be freed again.
 * ranks: 1
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <stddef.h>

static int deleted;

static int delete_it(MPI_Datatype type, int key, void *value, void *extra)
{
    return (void)type, (void)key, (void)value, (void)extra, deleted++, MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, copy, value = 3;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_it, &key, NULL);
    copy = key;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &value);
    MPI_Type_free_keyval(&key);
    MPI_Type_free_keyval(&copy);
    MPI_Type_free(&type);
    if (deleted != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
