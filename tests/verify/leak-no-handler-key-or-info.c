/* All that is made is freed: a handler that is in use, a key by the function that deletes its attribute at the end, info objects that calls give.
 * ranks: 2
 * class: leaks
 * expect: correct
 */
#include <mpi.h>

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)value, (void)extra;
    return MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
    int key, other, x = 0;
    MPI_Errhandler handler, again;
    MPI_Info info, copy, told;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &again);
    MPI_Errhandler_free(&again);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, 0);
    MPI_Comm_set_attr(MPI_COMM_SELF, other, &x);
    MPI_Comm_free_keyval(&other);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_dup(info, &copy);
    MPI_Win_create(&x, sizeof x, 1, copy, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    MPI_Win_get_info(win, &told);
    MPI_Info_free(&told);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
