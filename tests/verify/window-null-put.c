/* A put goes to no window (MPI 4.1, section 12.3.1).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value = 7;
    MPI_Init(&argc, &argv);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL);
    MPI_Finalize();
    return 0;
}
