/* A put goes to a window that was freed (MPI 4.1, section 12.2.5).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value = 7, memory = 0;
    MPI_Win win, before;
    MPI_Init(&argc, &argv);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    before = win;
    MPI_Win_free(&win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, before);
    MPI_Finalize();
    return 0;
}
