/* Many items of a datatype that holds an address, from MPI_BOTTOM on: they lie behind the memory that the datatype names.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

enum { N = 600 };

int main(int argc, char **argv)
{
    int rank, one = 1;
    int *other = malloc(64 * N), *b = calloc(N, sizeof *b), *far = malloc(64 * N);
    MPI_Datatype of = MPI_INT, at, pair, apart;
    MPI_Aint address;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_address(b, &address);
    MPI_Type_create_struct(1, &one, &address, &of, &at);
    MPI_Type_commit(&at);
    for (int i = 0; i < N; i++)
        b[i] = rank == 0 ? i + 1 : 0;
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, N, at, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, N, at, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        assert(b[i] == i + 1);

    /* Each item is far from the one before. */
    MPI_Type_create_resized(MPI_INT, 0, 200, &pair);
    MPI_Get_address(far, &address);
    MPI_Type_create_struct(1, &one, &address, &pair, &apart);
    MPI_Type_commit(&apart);
    for (int i = 0; i < 20; i++)
        far[50 * i] = rank == 0 ? i + 1 : 0;
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, 20, apart, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 20, apart, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        assert(far[50 * i] == i + 1);
    MPI_Type_free(&at);
    MPI_Type_free(&pair);
    MPI_Type_free(&apart);
    free(other), free(b), free(far);
    MPI_Finalize();
    return 0;
}
