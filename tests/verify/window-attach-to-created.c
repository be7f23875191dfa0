/* Memory is attached to a window that has its own.
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int memory[4], more[4];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, more, sizeof more);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
