/* A datatype that MPICH has besides those of the standard: no rule speaks of it, and it is not taken for a null one.
 * ranks: 1
 * class: datatypes
 * expect: unsupported
 */
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_dup(MPIX_C_FLOAT16, &type);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
