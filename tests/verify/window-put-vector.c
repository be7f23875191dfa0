/* A put whose target is every second element.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    int b[2] = {5, 6};
    MPI_Datatype d;
    MPI_Type_vector(2, 1, 2, MPI_INT, &d);
    MPI_Type_commit(&d);
    if (rank == 0)
        MPI_Put(b, 2, MPI_INT, 1, 1, 1, d, w);
    MPI_Type_free(&d);
    MPI_Win_fence(0, w);
    if (rank == 1)
        assert(a[0] == 0 && a[1] == 5 && a[2] == 0 && a[3] == 6);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
