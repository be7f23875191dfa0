/* A dynamic window to which nothing is attached, and one that was made of no memory, beside one that is put to.
 * ranks: 1
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value = 7, memory = 0;
    MPI_Win empty, none, win;
    MPI_Init(&argc, &argv);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &empty);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &none);
    MPI_Win_attach(none, &memory, 0);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (memory != 7)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&win);
    MPI_Win_free(&none);
    MPI_Win_free(&empty);
    MPI_Finalize();
    return 0;
}
