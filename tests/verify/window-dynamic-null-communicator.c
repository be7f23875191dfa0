/* A dynamic window of no communicator (MPI 4.1, section 12.2.4).
 * ranks: 1
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
