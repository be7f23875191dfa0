/* A persistent reduction of two groups that differ in size: each group divides what it gets as it is large.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, give[2], got[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int is_alone = rank == 0, counts[2] = {is_alone ? 2 : 1, 1};
    give[0] = give[1] = rank + 1;
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, is_alone, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_alone ? 1 : 0, 0, &both);
    MPI_Request r;
    MPI_Reduce_scatter_init(give, got, counts, MPI_INT, MPI_SUM, both, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    assert(got[0] == (is_alone ? 5 : 1));
    MPI_Comm_free(&half);
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
