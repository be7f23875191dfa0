/* Memory is detached from a window that is not dynamic (MPI 4.1, section 12.2.4).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int memory = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_detach(win, &memory);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
