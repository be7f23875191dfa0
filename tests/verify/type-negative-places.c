/* Elements of a datatype that stand before the buffer.
 * ranks: 2
 * class: datatypes
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
    int a[4] = {1, 2, 3, 4}, b[4] = {0}, lengths[2] = {1, 1}, places[2] = {-1, 1};
    MPI_Datatype t;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &t);
    MPI_Type_commit(&t);
    if (rank == 0)
        MPI_Send(a + 1, 1, t, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(b + 2, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(rank == 0 || (b[0] == 0 && b[1] == 1 && b[2] == 0 && b[3] == 3));
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
