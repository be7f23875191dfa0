/* One memory is detached while another process puts into the other one.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, value = 7, got = 0, *a = calloc(2, sizeof *a), *b = calloc(2, sizeof *b);
    MPI_Aint place[2];
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, a, 2 * sizeof *a);
    MPI_Win_attach(win, b, 2 * sizeof *b);
    MPI_Get_address(a, &place[0]);
    MPI_Get_address(b, &place[1]);
    MPI_Bcast(place, 2, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, place[1], 1, MPI_INT, win);
    else
        MPI_Win_detach(win, a);
    MPI_Win_fence(0, win);
    if (rank == 1 && b[0] != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
