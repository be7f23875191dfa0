/* On an intercommunicator only who says MPI_ROOT sends or gathers: of the others the buffers for all count for nothing, whatever their rank.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, all = 0;
    MPI_Comm own, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 0, &both);
    int *none = (int *)16, seven = 7;
    if (rank == 0) {
        MPI_Scatter(&seven, 1, MPI_INT, none, 1, MPI_INT, MPI_ROOT, both);
        MPI_Gather(none, 1, MPI_INT, &all, 1, MPI_INT, MPI_ROOT, both);
        assert(all == 8);
    } else {
        MPI_Scatter(none, 1, MPI_INT, &mine, 1, MPI_INT, 0, both);
        assert(mine == 7);
        mine = 8;
        MPI_Gather(&mine, 1, MPI_INT, none, 1, MPI_INT, 0, both);
    }
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
