/* A program reads what it sends, and writes between what it receives, at tens of thousands of places: the accesses of a loop are one row of
 * them.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 20000 };

int main(int argc, char **argv)
{
    int rank, sum = 0, *buffer = calloc(2 * N, sizeof *buffer);
    MPI_Request request;
    MPI_Datatype even;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(N, 1, 2, MPI_INT, &even);
    MPI_Type_commit(&even);
    for (int i = 0; i < N; i++)
        buffer[2 * i] = rank * i;
    if (rank == 0)
        MPI_Irecv(buffer, 1, even, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Isend(buffer, 1, even, 0, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < N; i++)
        buffer[2 * i + 1] = i;
    for (int i = 0; rank == 1 && i < N; i++)
        sum += buffer[2 * i] % 2;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        if (buffer[2 * i] != i || buffer[2 * i + 1] != i)
            abort();
    if (sum != rank * N / 2)
        abort();
    MPI_Type_free(&even);
    free(buffer);
    MPI_Finalize();
    return 0;
}
