/* A test's threads on this node, and their iterations.
 *
 * An iteration: all threads meet; the bodies run; all meet; each thread waits until all that it asked its queue pairs
 * for has been done; all meet; the first thread of each node notes the final values of the node's memory and fills it
 * anew. Nothing of an iteration is then left for the next one. */
#define _GNU_SOURCE
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

atomic_long litmpi_iterations[LITMPI_NODES];
_Thread_local int litmpi_self, litmpi_local;
_Thread_local volatile int litmpi_line;
static _Thread_local uint64_t random_state;
static _Thread_local int delays; /* whether this thread delays in this iteration */
static _Thread_local double body_begun;

static struct litmpi_record *record(long iteration)
{
    return &litmpi_shared->record[iteration & 1];
}

static void delay(void)
{
    double length = delays ? litmpi_delay(&random_state) : 0;
    if (length == 0)
        return;
    double end = litmpi_now() + length / 1e3;
    /* A thread that spins through a long delay would keep others, and the device if it is software, from running. */
    int spin = length < 5;
    while (litmpi_now() < end)
        if (!spin)
            sched_yield();
}

void litmpi_point(int line)
{
    litmpi_line = line;
    if (litmpi_direct_races(line))
        return;
    litmpi_stress_at(line);
    delay();
    litmpi_direct_at(line);
}

int litmpi_choose(int alternatives)
{
    int c = (int)(litmpi_uniform(&random_state) * alternatives);
    return c < alternatives ? c : alternatives - 1;
}

int litmpi_turn(long turn)
{
    int late = turn % 16 == 15 && litmpi_now() - body_begun > 500.0 * litmpi_entry.watchdog;
    if (turn < litmpi_entry.loop && !late) {
        if (turn > 40)
            sched_yield();
        return 1;
    }
    litmpi_end(LITMPI_END_CUT, 0);
    return 0;
}

void litmpi_end(int end, int error)
{
    struct litmpi_record *r = record(atomic_load(&litmpi_iteration));
    int was = atomic_load(&r->end);
    while (end > was && !atomic_compare_exchange_weak(&r->end, &was, end))
        ;
    if (end == LITMPI_END_ERROR)
        atomic_store(&r->error, error);
}

void litmpi_observe(int observable, int value)
{
    record(atomic_load(&litmpi_iteration))->value[observable] = value;
}

/* ---- memory that holds what nobody wrote ---- */

enum { WORDS = LITMPI_LINE / sizeof(long) };

static void corrupt(int block, int at, long word)
{
    struct litmpi_record *r = record(atomic_load(&litmpi_iteration));
    if (atomic_load(&r->end) == LITMPI_END_CORRUPT)
        return;
    atomic_store(&r->node, litmpi_me);
    atomic_store(&r->block, block);
    atomic_store(&r->at, at);
    atomic_store(&r->word, word);
    litmpi_end(LITMPI_END_CORRUPT, 0);
}

void litmpi_foreign(const int *location, long word)
{
    corrupt((int)(((const char *)(const void *)location - litmpi_memory) / LITMPI_LINE), 0, word);
}

static long guard(int line, int word)
{
    return (long)litmpi_mix((uint64_t)(line * WORDS + word));
}

void litmpi_guards_fill(int lines)
{
    for (int line = 0; line < lines; line++)
        for (int word = 1; word < WORDS; word++)
            (&LITMPI_CELL(LITMPI_AT(line)))[word] = guard(line, word);
}

/* Behind each location, and so before the next one. */
static void check_guards(int lines)
{
    for (int line = 0; line < lines; line++)
        for (int word = 1; word < WORDS; word++) {
            long *at = &(&LITMPI_CELL(LITMPI_AT(line)))[word];
            if (*at == guard(line, word))
                continue;
            corrupt(line, word * (int)sizeof(long), *at);
            *at = guard(line, word);
        }
}

static void observe_and_reset(void)
{
    const struct litmpi_node *node = &litmpi_current->node[litmpi_me];
    struct litmpi_record *r = record(atomic_load(&litmpi_iteration));
    for (int i = 0; i < litmpi_current->observed; i++) {
        const struct litmpi_observable *o = &litmpi_current->observable[i];
        if (o->block >= 0 && o->node == litmpi_me)
            r->value[i] = litmpi_load(LITMPI_AT(o->block));
    }
    check_guards(node->blocks);
    for (int i = 0; i < node->blocks; i++) {
        (void)litmpi_load(LITMPI_AT(i)); /* what nothing observes holds a value, too */
        litmpi_store(LITMPI_AT(i), node->initial[i]);
    }
}

/* The first thread of the test counts an iteration; whether to stop. */
static int count(long iteration, double begun)
{
    static long hangs;
    struct litmpi_record *r = record(iteration);
    if (iteration == litmpi_entry.start)
        hangs = 0;
    hangs += litmpi_outcomes_add(r, iteration);
    memset(r, 0, sizeof *r);
    return hangs >= litmpi_entry.hangs || litmpi_now() - begun > (double)litmpi_entry.millis;
}

static void arm(void)
{
    static _Thread_local double armed;
    double now = litmpi_now();
    if (now - armed > 100) {
        alarm((unsigned)litmpi_entry.watchdog);
        armed = now;
    }
}

/* Who takes part in an iteration: the threads, and one caretaker for each node that has none. */
static int parties(const struct litmpi_test *test)
{
    int n = test->threads;
    for (int node = 0; node < test->nodes; node++) {
        int threads = 0;
        for (int t = 0; t < test->threads; t++)
            threads += test->thread[t].node == node;
        n += threads == 0;
    }
    return n;
}

static void nothing(void)
{
}

static void iterate(void (*body)(void), int self, int local)
{
    int leads = self == 0, first = local == 0, all = parties(litmpi_current);
    double begun = litmpi_now();
    long iteration = litmpi_entry.start;
    litmpi_self = self;
    litmpi_local = local;
    for (;; iteration++) {
        /* Everybody has left the last iteration but one. */
        if (leads && ((iteration >= litmpi_entry.start + 2 && count(iteration - 2, begun)) ||
                      iteration >= litmpi_entry.start + litmpi_entry.iterations))
            atomic_store(&litmpi_shared->stop, 1);
        if (first) {
            arm();
            atomic_store(&litmpi_iteration, iteration);
        }
        random_state = litmpi_mix(litmpi_mix(litmpi_entry.seed ^ litmpi_mix((uint64_t)iteration)) ^ (uint64_t)self);
        delays = litmpi_entry.delay > 0 && litmpi_uniform(&random_state) < 0.5;
        litmpi_line = 0;
        litmpi_queues_begin(iteration);
        if (leads)
            litmpi_direct_next(iteration);
        litmpi_meet(&litmpi_shared->threads, all, 0);
        if (atomic_load(&litmpi_shared->stop))
            break;
        litmpi_direct_ready();
        body_begun = litmpi_now();
        if (self < litmpi_current->threads)
            litmpi_stress_at(0);
        delay();
        body();
        litmpi_direct_end();
        /* Draining hurries the device: not before all bodies have ended. */
        litmpi_meet(&litmpi_shared->threads, all, 0);
        litmpi_queues_drain();
        litmpi_meet(&litmpi_shared->threads, all, 0);
        if (litmpi_has_datagrams()) {
            litmpi_datagrams_rest();
            litmpi_meet(&litmpi_shared->threads, all, 0);
        }
        if (litmpi_has_messages()) {
            if (first)
                litmpi_messages_rest();
            litmpi_meet(&litmpi_shared->threads, all, 0);
        }
        if (first)
            observe_and_reset();
        if (first && litmpi_has_messages())
            litmpi_messages_restore();
    }
    if (leads) {
        count(iteration - 1, begun);
        litmpi_outcomes_print(iteration - litmpi_entry.start);
        litmpi_say("litmpi end %d %ld %.0f", litmpi_entry.id, iteration - litmpi_entry.start, litmpi_now() - begun);
    }
}

struct start {
    pthread_t thread;
    void (*body)(void);
    int self, local;
    struct litmpi_home home;
};

static void *run(void *argument)
{
    const struct start *start = argument;
    litmpi_enter(&start->home);
    litmpi_stress_place(start->self);
    iterate(start->body, start->self, start->local);
    return NULL;
}

void litmpi_run_entry(void)
{
    const struct litmpi_test *test = litmpi_current;
    struct start here[LITMPI_THREADS];
    int n = 0, mine = litmpi_me < test->nodes;
    atomic_store(&litmpi_iteration, litmpi_entry.start);
    for (int t = 0; t < test->threads; t++)
        if (test->thread[t].node == litmpi_me) {
            here[n] = (struct start){.body = test->thread[t].body, .self = t, .local = n};
            n++;
        }
    if (n > 0 && here[0].self == 0) {
        memset(litmpi_shared->record, 0, sizeof litmpi_shared->record);
        atomic_store(&litmpi_shared->stop, 0);
        litmpi_outcomes_begin();
        litmpi_say("litmpi begin %d %s", litmpi_entry.id, litmpi_entry.test);
    }
    for (int i = 0; mine && i < test->node[litmpi_me].blocks; i++)
        litmpi_store(LITMPI_AT(i), test->node[litmpi_me].initial[i]);
    if (mine)
        litmpi_direct_begin();
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, !mine);
    litmpi_messages_begin();
    if (n > 0)
        litmpi_stress_begin();
    for (int i = 0; i < n; i++)
        here[i].home = litmpi_home();
    for (int i = 0; i < n; i++)
        if (pthread_create(&here[i].thread, NULL, run, &here[i]) != 0)
            litmpi_fail("thread", "no thread can be made");
    if (mine && n == 0)
        iterate(nothing, test->threads + litmpi_me, 0);
    for (int i = 0; i < n; i++)
        pthread_join(here[i].thread, NULL);
    if (n > 0)
        litmpi_stress_end();
    alarm(0);
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, !mine);
}
