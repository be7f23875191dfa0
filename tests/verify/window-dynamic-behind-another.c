/* A dynamic window is made behind another window, on which no epoch has begun; each has its own.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, value = 7, memory[2] = {0, 0}, other = 0;
    MPI_Aint place;
    MPI_Win first, win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&other, sizeof other, sizeof other, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_fence(0, first);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &place);
    MPI_Bcast(&place, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 1, place, 1, MPI_INT, win);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, first);
    }
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, first);
    if (rank == 1 && (memory[0] != 7 || memory[1] != 0 || other != 7))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Win_free(&first);
    MPI_Finalize();
    return 0;
}
