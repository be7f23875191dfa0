/* The room for data in the representation external32 is one element short.
 * ranks: 1
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    short values[4] = {0};
    char packed[8];
    MPI_Aint position = 0;
    MPI_Init(&argc, &argv);
    MPI_Pack_external("external32", values, 4, MPI_SHORT, packed, 6, &position);
    MPI_Finalize();
    return 0;
}
