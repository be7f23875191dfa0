/* Shared windows of groups that have nothing in common are memory of their own, whether one of all is beside them or not.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, *all, *own;
    MPI_Win of_all, of_one;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &all, &of_all);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &own, &of_one);
    *own = rank + 1;
    *all = rank + 5;
    MPI_Barrier(MPI_COMM_WORLD);
    assert(*own == rank + 1 && *all == rank + 5);
    MPI_Win_free(&of_one);
    MPI_Win_free(&of_all);
    MPI_Finalize();
    return 0;
}
