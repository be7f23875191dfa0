/* A put into a dynamic window goes to a negative rank (MPI 4.1, section 12.3.1).
 * ranks: 1
 * class: windows
 * expect: erroneous
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
    MPI_Put(&value, 1, MPI_INT, -7, place, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
