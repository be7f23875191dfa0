/* There is no room for the second item.
 * ranks: 1
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int x[2] = {1, 2}, position = 0;
    char packed[6];
    MPI_Init(&argc, &argv);
    MPI_Pack(x, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(x + 1, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
