/* A reduction between two groups: each process passes a count for each of its own group.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, mine, counts[2], x[2] = {1, 2}, y[2] = {0};
    MPI_Comm part, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = rank == 0;
    MPI_Comm_split(MPI_COMM_WORLD, mine, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, mine ? 1 : 0, 0, &both);
    counts[0] = mine ? 2 : 1;
    counts[1] = 1;
    MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, both);
    if (mine)
        assert(y[0] == 2 && y[1] == 4);
    else
        assert(y[0] == rank);
    MPI_Comm_free(&both);
    MPI_Comm_free(&part);
    MPI_Finalize();
    return 0;
}
