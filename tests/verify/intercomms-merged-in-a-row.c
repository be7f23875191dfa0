/* Two halves of the processes make an intercommunicator and merge it, several times.
 * ranks: 4
 * class: communicators and groups
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, place;
    MPI_Comm half, both, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_low = rank < size / 2;
    for (int round = 0; round < 4; round++) {
        MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? size / 2 : 0, 99, &both);
        MPI_Intercomm_merge(both, !is_low, &all);
        MPI_Comm_rank(all, &place);
        assert(place == rank);
        MPI_Comm_free(&all);
        MPI_Comm_free(&both);
        MPI_Comm_free(&half);
    }
    MPI_Finalize();
    return 0;
}
