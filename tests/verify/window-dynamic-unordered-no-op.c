/* Accumulates on a dynamic window need not be ordered; that says nothing of which operations may come beside each other.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, memory = 0, value = 7, got = 0;
    MPI_Aint place;
    MPI_Info info;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_attach(win, &memory, sizeof memory);
    MPI_Get_address(&memory, &place);
    MPI_Bcast(&place, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate(&value, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_SUM, win);
    else
        MPI_Get_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, 0, place, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    if (got != 0 && got != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
