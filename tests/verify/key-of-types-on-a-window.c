/* A key of datatypes is used on a window.
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    static int memory[4];
    int key;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_attr(win, key, memory);
    MPI_Win_free(&win);
    MPI_Type_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
