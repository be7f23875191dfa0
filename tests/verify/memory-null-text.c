/* The name of the processor is to be put nowhere.
 * ranks: 1
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Get_processor_name(NULL, NULL);
    MPI_Finalize();
    return 0;
}
