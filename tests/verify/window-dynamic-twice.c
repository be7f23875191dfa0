/* Memory is attached that is attached already.
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int memory[4];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Win_attach(win, memory + 2, sizeof memory / 2);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
