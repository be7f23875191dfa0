/* Five integers are broadcast from where a pointer stands, not from where it points to.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 * options: -O0
 * says: `buffer` has fewer elements than count: the variable has 8 bytes, and 12 bytes behind it are meant
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int *numbers = calloc(5, sizeof *numbers);
    MPI_Init(&argc, &argv);
    MPI_Bcast(&numbers, 5, MPI_INT, 0, MPI_COMM_WORLD);
    free(numbers);
    MPI_Finalize();
    return 0;
}
