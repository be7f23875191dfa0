/* Items of which the second lies where the first one does.
 * ranks: 1
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int packed[2] = {1, 2}, into = 0, position = 0;
    MPI_Datatype twice;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(2, 1, 0, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    MPI_Unpack(packed, sizeof packed, &position, &into, 1, twice, MPI_COMM_WORLD);
    MPI_Type_free(&twice);
    MPI_Finalize();
    return 0;
}
