/* Threads that the program makes read what has come: one that is joined, and two that meet at barriers.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t gate;
static int a, seen[3];

static void *once(void *arg)
{
    (void)arg;
    seen[0] = a;
    return 0;
}

static void *again(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&gate);
        seen[i] = a;
        pthread_barrier_wait(&gate);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 70; i++) {
        if (i < 2)
            MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 0, &a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_create(&t, 0, once, 0);
        pthread_join(t, 0);
        assert(seen[0] == (i < 2 ? i : 1));
    }
    pthread_barrier_init(&gate, 0, 2);
    pthread_create(&t, 0, again, 0);
    for (int i = 0; i < 3; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 0, &a, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate);
        assert(seen[i] == i);
    }
    pthread_join(t, 0);
    MPI_Finalize();
    return 0;
}
