/* The hints of a communicator are to be put nowhere.
 * ranks: 1
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_get_info(MPI_COMM_WORLD, NULL);
    MPI_Finalize();
    return 0;
}
