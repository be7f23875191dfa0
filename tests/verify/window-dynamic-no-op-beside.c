/* An element of a dynamic window is read by a no-op while it is added to (MPI 4.1, section 12.2.1, info key accumulate_ops: same_op_no_op).
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
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
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
