/* Predefined datatypes have names, and a commit of one changes nothing.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Datatype t = MPI_DOUBLE;
    MPI_Type_get_name(t, name, &length);
    assert(length == 10 && !strcmp(name, "MPI_DOUBLE"));
    MPI_Type_commit(&t);
    assert(t == MPI_DOUBLE);
    MPI_Finalize();
    return 0;
}
