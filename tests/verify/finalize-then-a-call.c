/* A function that runs at exit asks for a rank, when MPI has been finalized.
 * ranks: 2
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

static void last(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    atexit(last);
    MPI_Finalize();
    return 0;
}
