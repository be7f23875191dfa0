/* A thread that is made while something is sent writes there, and it is by chance that this comes when it has been waited for.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#include <mpi.h>
#include <pthread.h>

static int a[16];

static void *fill(void *none)
{
    for (int i = 0; i < 200000000; i++)
        __asm__ volatile("");
    for (int i = 0; i < 16; i++)
        a[i] = 0;
    return none;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t t;
    MPI_Request q;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(a, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
        pthread_create(&t, 0, fill, 0);
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        pthread_join(t, 0);
    } else {
        MPI_Recv(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
