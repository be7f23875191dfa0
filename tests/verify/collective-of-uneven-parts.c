/* One rank calls MPI_Gather, the other MPI_Gatherv: not the same function, though the lengths agree.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, x = 5, all[2], counts[2] = {1, 1}, places[2] = {0, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Gatherv(&x, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(&x, 1, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
