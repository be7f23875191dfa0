/* MPI is initialized twice.
 * ranks: 2
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
