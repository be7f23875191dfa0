/* A predefined datatype is asked what it was made of (MPI_COMBINER_NAMED).
 * ranks: 1
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int n[1];
    MPI_Aint at[1];
    MPI_Datatype of[1];
    MPI_Init(&argc, &argv);
    MPI_Type_get_contents(MPI_INT, 1, 1, 1, n, at, of);
    MPI_Finalize();
    return 0;
}
