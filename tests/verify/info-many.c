/* As many info objects and keys as a program likes, and an error that is returned where that was asked for.
 * ranks: 1
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 300, KEYS = 80 };

int main(int argc, char **argv)
{
    static MPI_Info info[MANY];
    char key[32], value[32];
    int n, flag, provided, wrong = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Query_thread(&n);
    wrong += n != provided;
    for (int i = 0; i < MANY; i++)
        MPI_Info_create(&info[i]);
    for (int i = 0; i < KEYS; i++) {
        sprintf(key, "key %d", i);
        MPI_Info_set(info[MANY - 1], key, key);
    }
    MPI_Info_free(&info[0]);
    MPI_Info_dup(info[MANY - 1], &info[0]);
    MPI_Info_get_nkeys(info[0], &n);
    MPI_Info_get(info[0], "key 79", 31, value, &flag);
    wrong += n != KEYS || !flag || strcmp(value, "key 79");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    wrong += MPI_Info_delete(info[1], "none") != MPI_ERR_INFO_NOKEY;
    wrong += MPI_Info_set(MPI_INFO_NULL, "a", "b") != MPI_ERR_INFO;
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, wrong);
    for (int i = 0; i < MANY; i++)
        MPI_Info_free(&info[i]);
    MPI_Finalize();
    return 0;
}
