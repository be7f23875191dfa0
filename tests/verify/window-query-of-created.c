/* The part of a process is asked of a window that is not shared.
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int memory[4];
    int unit, *base;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &base);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
