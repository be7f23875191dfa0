/* A thread writes what is sent, long before it is sent or long after: nothing says which, so that the next time it may be while it is sent.
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
    for (int i = 0; i < 16; i++)
        a[i] = 0;
    return none;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&t, 0, fill, 0);
        for (int i = 0; i < 10000000; i++)
            __asm__ volatile("");
        MPI_Send(a, 16, MPI_INT, 1, 0, MPI_COMM_WORLD);
        pthread_join(t, 0);
    } else {
        MPI_Recv(a, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
