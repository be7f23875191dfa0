/* A datatype is freed of which nobody has the handle.
 * ranks: 1
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Type_free(NULL);
    MPI_Finalize();
    return 0;
}
