/* Memory is detached from no window (MPI 4.1, section 12.2.4).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int memory = 0;
    MPI_Init(&argc, &argv);
    MPI_Win_detach(MPI_WIN_NULL, &memory);
    MPI_Finalize();
    return 0;
}
