/* A function is called before MPI_Init; MPI_Initialized may be.
 * ranks: 2
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank = 0, yes = 1;
    MPI_Initialized(&yes);
    assert(!yes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
