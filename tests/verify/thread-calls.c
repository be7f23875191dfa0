/* Another thread than the one that initialised MPI calls it, while that one waits in a call: what it would do is not followed.
 * ranks: 2
 * class: environment
 * expect: unsupported
 */
#include <mpi.h>
#include <pthread.h>

static void *job(void *arg)
{
    MPI_Send(arg, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv)
{
    int provided, rank, x = 0;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&t, 0, job, &rank);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(t, 0);
    } else {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
