/* A process puts into its own part of a dynamic window.
 * ranks: 1
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value = 7, memory = 0;
    MPI_Aint place;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, &memory, sizeof memory);
    MPI_Get_address(&memory, &place);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, place, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (memory != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_detach(win, &memory);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
