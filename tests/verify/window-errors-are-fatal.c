/* A program asks for the errors of communicators, and not of the window: what is wrong with a call on the window ends the program.
 * ranks: 1
 * class: windows
 * variant: checked
 * expect: erroneous
 * says: MPI_Put: the target is no rank of the window's group
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int x = 0, y = 7;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    MPI_Put(&y, 1, MPI_INT, 5, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
