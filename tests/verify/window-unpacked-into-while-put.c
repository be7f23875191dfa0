/* A process unpacks into an element of its window that another one puts to in the same epoch; what it unpacks is what was there already.
 * ranks: 2
 * class: windows
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, packed = 0, position = 0, one = 1, x = 0;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    if (rank == 1)
        MPI_Unpack(&packed, sizeof packed, &position, &x, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
