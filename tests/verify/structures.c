/* A structure of a character and a double.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, z = 0, flag = 0;
    MPI_Status s;
    MPI_Request q, r;
    (void)x, (void)y, (void)z, (void)flag, (void)s, (void)q, (void)r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct { char c; double d; } a = {'a' + rank, rank + 0.5};
    MPI_Datatype d;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, types, &d);
    MPI_Type_commit(&d);
    if (rank == 0)
        MPI_Send(&a, 1, d, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(&a, 1, d, 0, 0, MPI_COMM_WORLD, &s);
        assert(a.c == 'a' && a.d == 0.5);
    }
    MPI_Type_free(&d);
    MPI_Finalize();
    return 0;
}
