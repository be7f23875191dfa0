/* There is no real number of Fortran of such a precision.
 * ranks: 1
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype real;
    MPI_Init(&argc, &argv);
    MPI_Type_create_f90_real(200, 100, &real);
    MPI_Finalize();
    return 0;
}
