/* The address of a pointer is passed where the numbers are meant that it points to.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 * options: -O0
 * says: MPI_Bcast: the datatype of `buffer` has MPI_DOUBLE where the variable `numbers` has a pointer
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double *numbers = calloc(10, sizeof *numbers);
    MPI_Bcast(&numbers, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(numbers);
    MPI_Finalize();
    return 0;
}
