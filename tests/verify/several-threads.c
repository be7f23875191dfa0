/* A process with a thread that works for it, which a copy of the process would not have.
 * ranks: 3
 * class: environment
 * expect: exit
 */
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, answered;

static void *work(void *none)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (asked == answered)
            pthread_cond_wait(&changed, &lock);
        answered = asked;
        pthread_cond_broadcast(&changed);
    }
    return none;
}

static void have_done(int what)
{
    pthread_mutex_lock(&lock);
    asked = what;
    pthread_cond_broadcast(&changed);
    while (answered != what)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
    int rank, first, second;
    pthread_t worker;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&worker, NULL, work, NULL);
    if (rank == 0) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        have_done(first);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        have_done(second);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return rank == 0 && first == 2;
}
