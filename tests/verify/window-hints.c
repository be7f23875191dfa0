/* A window says which hints it has: those of its beginning, those that were given with it, and those that came later.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void has(MPI_Win win, const char *key, const char *value)
{
    char is[MPI_MAX_INFO_VAL + 1];
    int flag;
    MPI_Info info;
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, is, &flag);
    if (!flag || strcmp(is, value))
        abort();
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int *memory;
    MPI_Win win;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "of_nobody", "true");
    MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &win);
    has(win, "no_locks", "true");
    has(win, "accumulate_ordering", "rar,raw,war,waw");
    has(win, "accumulate_ops", "same_op_no_op");
    MPI_Info_set(info, "same_size", "true");
    MPI_Win_set_info(win, info);
    has(win, "same_size", "true");
    has(win, "same_disp_unit", "false");
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
