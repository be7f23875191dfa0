/* Threads write what is sent and read what has come, each time ordered with the calls by something else: a join, a barrier, a lock with a condition, a
 * semaphore, an atomic and a volatile flag; and memory that one thread gives back is another one's.
 * ranks: 2
 * class: environment
 * expect: correct
 * instrumented: correct
 */
#include <mpi.h>
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { JOINED, MET, LOCKED, POSTED, ATOMIC, VOLATILE, WAYS };
static int a[WAYS], is_ready, *block;
static pthread_barrier_t gate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static atomic_int flag;
static volatile int plain;

static void *fill(void *none)
{
    for (int i = 0; i < WAYS; i++)
        a[i] = i + 1;
    block = malloc(64);
    block[0] = 1;
    free(block);
    return none;
}

static void *fill_for_others(void *none)
{
    a[MET]++;
    pthread_barrier_wait(&gate);
    pthread_mutex_lock(&lock);
    a[LOCKED]++;
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    a[POSTED]++;
    sem_post(&posted);
    a[ATOMIC]++;
    atomic_store_explicit(&flag, 1, memory_order_release);
    a[VOLATILE]++;
    plain = 1;
    return none;
}

static void send(int way) { MPI_Send(&a[way], 1, MPI_INT, 1, way, MPI_COMM_WORLD); }

int main(int argc, char **argv)
{
    int provided, rank, b, *other;
    pthread_t t;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        for (int i = 0; i < WAYS; i++) {
            MPI_Recv(&b, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(b == i + 1 + (i != JOINED));
        }
        MPI_Recv(&b, 1, MPI_INT, 0, WAYS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return MPI_Finalize();
    }
    pthread_create(&t, 0, fill, 0);
    pthread_join(t, 0);
    send(JOINED);
    pthread_barrier_init(&gate, 0, 2);
    sem_init(&posted, 0, 0);
    pthread_create(&t, 0, fill_for_others, 0);
    pthread_barrier_wait(&gate);
    send(MET);
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    send(LOCKED);
    sem_wait(&posted);
    send(POSTED);
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    send(ATOMIC);
    while (!plain)
        ;
    send(VOLATILE);
    other = malloc(64);
    *other = 1;
    MPI_Send(other, 1, MPI_INT, 1, WAYS, MPI_COMM_WORLD);
    free(other);
    pthread_join(t, 0);
    MPI_Finalize();
    return 0;
}
