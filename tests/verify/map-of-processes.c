/* MPI_Cart_map and MPI_Graph_map give each process a place of its own, and MPI_UNDEFINED to those that are to spare.
 * ranks: 3
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>

static void places(int rank, int count)
{
    int all[3], taken = 0;
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (i != k && all[i] != MPI_UNDEFINED && all[i] == all[k])
                MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 3; i++)
        taken += all[i] != MPI_UNDEFINED;
    if (taken != count)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int dims[2] = {2, 1}, periods[2] = {0, 1}, index[2] = {1, 2}, edges[2] = {1, 0}, rank;
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank);
    places(rank, 2);
    MPI_Graph_map(MPI_COMM_WORLD, 2, index, edges, &rank);
    places(rank, 2);
    MPI_Finalize();
    return 0;
}
