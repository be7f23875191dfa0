/* A bitwise operation on floating-point numbers.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    double x = 1, y = 0;
    MPI_Init(&argc, &argv);
    MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
