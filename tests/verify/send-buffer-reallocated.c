/* A send buffer is made longer, and moves, before the send is complete.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 1000 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *b = calloc(N, sizeof *b), *behind = calloc(N, sizeof *behind);
    if (rank == 0) {
        MPI_Request r;
        MPI_Isend(b, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        b = realloc(b, 100 * N * sizeof *b);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        free(b);
    } else {
        MPI_Recv(b, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(b);
    }
    free(behind);
    MPI_Finalize();
    return 0;
}
