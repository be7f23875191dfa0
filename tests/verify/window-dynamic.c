/* Memory is attached to a window when it is there, and others name it by its address.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, *memory = NULL, flag;
    MPI_Aint place = 0, *attribute;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &attribute, &flag);
    if (!flag || *attribute != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 1) {
        memory = calloc(4, sizeof *memory);
        MPI_Win_attach(win, memory, 4 * sizeof *memory);
        MPI_Get_address(memory, &place);
    }
    MPI_Bcast(&place, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        size = 7;
        MPI_Put(&size, 1, MPI_INT, 1, MPI_Aint_add(place, 2 * sizeof size), 1, MPI_INT, win);
    }
    MPI_Win_fence(0, win);
    if (rank == 1) {
        if (memory[2] != 7)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Win_detach(win, memory);
        free(memory);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
