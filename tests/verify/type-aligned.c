/* An array of structures: the extent of a structure is rounded up to its alignment.
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
    struct { int i; char c; } s[3];
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(int)}, lower, extent;
    MPI_Datatype types[2] = {MPI_INT, MPI_CHAR}, t;
    MPI_Type_create_struct(2, lengths, places, types, &t);
    MPI_Type_commit(&t);
    MPI_Type_get_extent(t, &lower, &extent);
    assert(lower == 0 && extent == sizeof s[0]);
    for (int i = 0; i < 3; i++)
        s[i].i = rank ? 0 : i + 1, s[i].c = rank ? 0 : 'a' + i;
    if (rank == 0)
        MPI_Send(s, 3, t, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(s, 3, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        assert(s[i].i == i + 1 && s[i].c == 'a' + i);
    MPI_Type_free(&t);
    MPI_Finalize();
    return 0;
}
