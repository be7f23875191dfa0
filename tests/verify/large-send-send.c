/* Both ranks send before they receive, as much as no library buffers.
 * ranks: 2
 * class: buffers
 * expect: deadlock
 */
#include <mpi.h>
#include <stdlib.h>

enum { N = 4 << 20 };

int main(int argc, char **argv)
{
    int rank;
    char *out = calloc(N, 1), *in = malloc(N);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(out, N, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, N, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
