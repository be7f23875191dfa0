/* Memory is attached to a window that was freed (MPI 4.1, section 12.2.4).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int memory = 0;
    MPI_Win win, before;
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    before = win;
    MPI_Win_free(&win);
    MPI_Win_attach(before, &memory, sizeof memory);
    MPI_Finalize();
    return 0;
}
