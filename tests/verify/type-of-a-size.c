/* Datatypes are found by kind and size; where there is none, the program is told.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Datatype t;
    MPI_Init(&argc, &argv);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t);
    MPI_Type_size(t, &size);
    assert(t == MPI_REAL8 && size == 8);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &t);
    assert(t == MPI_INTEGER2);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 32, &t);
    MPI_Type_size(t, &size);
    assert(t == MPI_COMPLEX32 && size == 32);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    assert(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t) != MPI_SUCCESS);
    MPI_Finalize();
    return 0;
}
