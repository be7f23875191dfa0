/* Attributes with functions of the program's own, which copy and delete them, and an error handler of its own.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <stddef.h>
#include <assert.h>

static int copies, deletes, errors;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key;
    assert(extra == &copies);
    copies++;
    *(void **)out = (char *)value + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *err, ...)
{
    int class;
    (void)comm;
    MPI_Error_class(*err, &class);
    assert(class == MPI_ERR_OTHER);
    errors++;
}

int main(int argc, char **argv)
{
    static char text[4];
    int own, duplicated, of_type, flag;
    char *value;
    MPI_Comm comm;
    MPI_Errhandler handler, same;
    MPI_Datatype pair, another;
    MPI_Init(&argc, &argv);

    MPI_Comm_create_keyval(copy, delete, &own, &copies);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &duplicated, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, own, text);
    MPI_Comm_set_attr(MPI_COMM_WORLD, duplicated, text + 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_attr(comm, own, &value, &flag);
    assert(flag && value == text + 1 && copies == 1);
    MPI_Comm_get_attr(comm, duplicated, &value, &flag);
    assert(flag && value == text + 2);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, own);
    MPI_Comm_get_attr(MPI_COMM_WORLD, own, &value, &flag);
    assert(!flag && deletes == 1);

    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_get_errhandler(comm, &same);
    assert(same == handler);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    assert(errors == 1);
    MPI_Errhandler_free(&same);
    MPI_Errhandler_free(&handler);

    MPI_Comm_free(&comm);
    assert(deletes == 2);
    MPI_Comm_free_keyval(&own);
    MPI_Comm_free_keyval(&duplicated);
    assert(own == MPI_KEYVAL_INVALID);

    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, of_type, text);
    MPI_Type_dup(pair, &another);
    MPI_Type_get_attr(another, of_type, &value, &flag);
    assert(flag && value == text);
    MPI_Type_free(&pair);
    MPI_Type_free(&another);
    MPI_Type_free_keyval(&of_type);
    MPI_Finalize();
    return 0;
}
