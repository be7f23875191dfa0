/* Nothing is attached, and something beside it (MPI 4.1, section 12.2.4: size is a nonnegative integer).
 * ranks: 1
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int memory[2] = {0, 0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, 0);
    MPI_Win_attach(win, memory + 1, sizeof *memory);
    MPI_Win_detach(win, memory + 1);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
