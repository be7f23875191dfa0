/* A process that sleeps: time passes, and nobody waits.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double t = MPI_Wtime();
    time_t before = time(NULL);
    if (rank == 0)
        sleep(1000);
    int x = 1;
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert(rank || (MPI_Wtime() - t >= 1000 && time(NULL) - before >= 1000));
    MPI_Finalize();
    return 0;
}
