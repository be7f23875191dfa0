/* Types of Fortran that a precision and a range are asked of: the same for the same question, and not to be freed.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, size, integers, addresses, types, combiner, asked[2], wrong = 0;
    double x = 0;
    MPI_Datatype real, again, integer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_f90_real(12, 100, &real);
    MPI_Type_create_f90_real(12, 100, &again);
    MPI_Type_create_f90_integer(9, &integer);
    wrong += real != again;
    MPI_Type_size(integer, &size);
    wrong += size != 4;
    MPI_Type_get_envelope(real, &integers, &addresses, &types, &combiner);
    wrong += integers != 2 || addresses != 0 || types != 0 || combiner != MPI_COMBINER_F90_REAL;
    MPI_Type_get_contents(real, 2, 0, 0, asked, NULL, NULL);
    wrong += asked[0] != 12 || asked[1] != 100;
    if (rank == 0) {
        x = 2.5;
        MPI_Send(&x, 1, real, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&x, 1, real, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (wrong || x != 2.5)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
