/* A datatype that holds addresses is received as another type than it was sent as.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
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
    double d = 1;
    int i = 1, length = 1;
    MPI_Aint place;
    MPI_Datatype type = rank ? MPI_INT : MPI_DOUBLE, t;
    MPI_Get_address(rank ? (void *)&i : (void *)&d, &place);
    MPI_Type_create_hindexed(1, &length, &place, type, &t);
    MPI_Type_commit(&t);
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, 1, t, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
