/* Following a score (nic/src/score.rs): the threads of a test take their turns as an emulated device says.
 *
 * Device and program meet at a board, words of 64 bits in the file that LITMPI_BOARD names; nic/src/direct.rs has the same
 * numbers. A thread tells and is told by plain stores and loads: nothing here empties a store buffer. Threads that race
 * first make sure that all of them are on processors: each writes the time again and again, until the first of them, or
 * the device if that takes part, has seen that all do. */
#define _GNU_SOURCE
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ROUND = 0, /* iterations begun with a score, and the score of the last */
    SCORE = 1,
    READY = 8, /* the last one that the device is ready for, and the last that it has given up */
    LOOSE = 9,
    START = 10, /* when threads that race begin */
    THREAD = 32,
    THREAD_WORDS = 128,
    DONE = 0, /* items of the thread: done, and those that it may begin */
    GO = 8,
    SEEN = 1, /* the time, while it waits for others to race with */
    QPNS = 16,
    COUNT = 24,
    LINES = 32,
    WORDS = THREAD + LITMPI_THREADS * THREAD_WORDS,
    OVER = 1 << 20,
    MANY = 16 /* stores that a late one waits behind: as many as a processor's buffer holds, or it would keep the thread back, too */
};

/* Of an item's word: its line; its store is to stay in the buffer; the thread is racing; a bit for each thread that it begins to
 * race with, and for the device. */
enum { LATE = 32, RACING = 33, RACERS = 40 };
/* Clock ticks: another one's time is that of now; what is left to get ready to begin. */
enum { FRESH = 3000, NOTICE = 2000 };
enum { GONE = 1 }; /* in place of the time: it has begun */
enum { LONGEST = 200 }; /* milliseconds until those who race go without each other */

static _Atomic uint64_t *board;
static pthread_once_t opened = PTHREAD_ONCE_INIT;
static _Thread_local uint64_t round_number;
static _Thread_local uint64_t next; /* item of the thread */
static _Thread_local const _Atomic uint64_t *racing; /* its next item's word, while it races */

static uint64_t get(int at)
{
    return atomic_load_explicit(&board[at], memory_order_acquire);
}

static void set(int at, uint64_t value)
{
    atomic_store_explicit(&board[at], value, memory_order_release);
}

static int of_thread(void)
{
    return THREAD + litmpi_self * THREAD_WORDS;
}

static int is_directed(void)
{
    return board && litmpi_entry.scores > 0 && litmpi_self < litmpi_current->threads;
}

static void open_board(void)
{
    const char *path = getenv("LITMPI_BOARD");
    int file = path ? open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *memory = mmap(NULL, WORDS * sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED)
        board = memory;
}

void litmpi_direct_begin(void)
{
    if (litmpi_entry.scores > 0)
        pthread_once(&opened, open_board);
    if (litmpi_entry.scores > 0 && !board && litmpi_me == 0)
        litmpi_say("litmpi problem: score: the device follows none");
    for (int t = 0, local = 0; board && t < litmpi_current->threads; t++)
        if (litmpi_current->thread[t].node == litmpi_me) {
            for (int n = 0; n < LITMPI_NODES; n++)
                set(THREAD + t * THREAD_WORDS + QPNS + n, n < litmpi_nodes ? litmpi_queues_number(local, n) : 0);
            local++;
        }
}

void litmpi_direct_next(long iteration)
{
    if (!is_directed())
        return;
    for (int t = 0; t < LITMPI_THREADS; t++) {
        set(THREAD + t * THREAD_WORDS + DONE, 0);
        set(THREAD + t * THREAD_WORDS + SEEN, 0);
    }
    set(START, 0);
    uint64_t round = get(ROUND) + 1;
    set(SCORE, (uint64_t)(litmpi_entry.score + iteration % litmpi_entry.scores));
    set(ROUND, round);
    double begun = litmpi_now();
    for (long polls = 0; get(READY) != round && litmpi_now() - begun < 1e3;)
        litmpi_relax(&polls);
}

void litmpi_direct_ready(void)
{
    if (is_directed())
        round_number = get(ROUND);
    next = 0;
    racing = NULL;
}

/* Waits until all are on processors; which is given up in time, as everything in a score. */
static void meet(unsigned racers)
{
    double since = litmpi_now();
    int leads = (racers & ((1U << litmpi_self) - 1)) == 0 && !(racers >> LITMPI_THREADS & 1);
    uint64_t begin = 0;
    for (long turns = 0; !begin && get(LOOSE) != round_number; turns++) {
        uint64_t now = __builtin_ia32_rdtsc();
        int all = 1;
        set(of_thread() + SEEN, now);
        for (int t = 0; leads && t < LITMPI_THREADS; t++)
            if (racers >> t & 1)
                all &= get(THREAD + t * THREAD_WORDS + SEEN) + FRESH > now;
        if (leads && all)
            set(START, now + NOTICE);
        begin = get(START);
        if (turns % 20000 < 19999)
            continue;
        if (litmpi_now() - since > LONGEST)
            break;
        sched_yield();
    }
    while (__builtin_ia32_rdtsc() < begin)
        ;
    set(of_thread() + SEEN, GONE);
}

int litmpi_direct_races(int line)
{
    if (!racing)
        return 0;
    uint64_t item = atomic_load_explicit(racing, memory_order_acquire);
    if ((uint32_t)item != (uint32_t)line || !(item >> RACING & 1))
        return 0;
    racing++;
    return 1;
}

void litmpi_direct_at(int line)
{
    if (!is_directed())
        return;
    int me = of_thread();
    if (racing)
        next = (uint64_t)(racing - &board[me + LINES]);
    racing = NULL;
    set(me + DONE, next);
    uint64_t item = next < get(me + COUNT) ? get(me + LINES + (int)next) : 0;
    int is_late = (int)(item >> LATE) & 1;
    if (next >= get(me + COUNT) || (int)(uint32_t)item != line)
        return;
    if (is_late)
        litmpi_slow_prepare();
    for (long polls = 0; get(me + GO) <= next && get(LOOSE) != round_number;)
        litmpi_relax(&polls);
    if (item >> RACERS)
        meet((unsigned)(item >> RACERS));
    next++;
    if (item >> RACERS)
        racing = &board[me + LINES + (int)next];
    if (is_late)
        litmpi_slow_stores(MANY);
}

void litmpi_direct_end(void)
{
    if (is_directed())
        set(of_thread() + DONE, OVER);
}
