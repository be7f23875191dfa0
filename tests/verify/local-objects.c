/* Info objects, names, attributes: no other process sees them.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flag, n, *ub, key, word = 42;
    char text[MPI_MAX_OBJECT_NAME], value[32];
    MPI_Info info, copy;
    MPI_Comm comm;
    void *kept;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "one", "1");
    MPI_Info_set(info, "two", "2");
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "one");
    MPI_Info_get_nkeys(info, &n);
    assert(n == 1);
    MPI_Info_get(copy, "one", 31, value, &flag);
    assert(flag && !strcmp(value, "1"));
    MPI_Info_get(info, "one", 31, value, &flag);
    assert(!flag);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    assert(info == MPI_INFO_NULL);

    MPI_Comm_get_name(MPI_COMM_WORLD, text, &n);
    assert(!strcmp(text, "MPI_COMM_WORLD"));
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    MPI_Comm_set_name(comm, "mine");
    MPI_Comm_get_name(comm, text, &n);
    assert(!strcmp(text, "mine") && n == 4);

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &flag);
    assert(flag && *ub >= 32767);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_get_attr(comm, key, &kept, &flag);
    assert(!flag);
    MPI_Comm_set_attr(comm, key, &word);
    MPI_Comm_get_attr(comm, key, &kept, &flag);
    assert(flag && kept == &word);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
