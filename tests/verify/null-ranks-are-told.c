/* Beyond the end of a line is MPI_PROC_NULL, and it stays that in every group.
 * ranks: 2
 * class: matching
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm c;
    int dims[1] = {2}, periods[1] = {0}, left, right, y = -1, ranks[2] = {MPI_PROC_NULL, 0}, in[2];
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c);
    MPI_Cart_shift(c, 0, 1, &left, &right);
    assert(left == (rank ? 0 : MPI_PROC_NULL) && right == (rank ? MPI_PROC_NULL : 1));
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &y, 1, MPI_INT, left, 0, c, MPI_STATUS_IGNORE);
    assert(y == rank - 1);
    MPI_Group g, h;
    MPI_Comm_group(c, &g);
    MPI_Group_excl(g, 1, &ranks[1], &h);
    MPI_Group_translate_ranks(g, 2, ranks, h, in);
    assert(in[0] == MPI_PROC_NULL && in[1] == MPI_UNDEFINED);
    MPI_Group_free(&g);
    MPI_Group_free(&h);
    MPI_Comm_free(&c);
    MPI_Finalize();
    return 0;
}
