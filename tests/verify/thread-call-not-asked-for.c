/* A thread calls MPI in a program that has asked for no threads: only one may (MPI_THREAD_SINGLE), whatever the others wait for.
 * ranks: 2
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>
#include <pthread.h>

static void *meet(void *none)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return none;
}

int main(int argc, char **argv)
{
    pthread_t t;
    MPI_Init(&argc, &argv);
    pthread_create(&t, NULL, meet, NULL);
    pthread_join(t, NULL);
    MPI_Finalize();
    return 0;
}
