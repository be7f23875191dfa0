/* Stress: what makes weak behaviours likely (rdma-tso §5), as a word of the schedule.
 *
 *   stress=ITEM,ITEM,…
 *   LINE:dN   at the statement of this line, wait N half round trips (0 to 8)
 *   LINE:fN   post N writes (1 to 64) that no test sees, to the other nodes, on the thread's own queue pairs
 *   LINE:fN@M the same to node M only: what the thread asks that node for then waits behind them
 *   LINE:sN   make N stores (1 to 64) that no test sees and that take long: what the thread stores next waits behind them
 *   LINE:wN   wait until a location of this node has changed, at most N half round trips
 *   tN:dM     as LINE:dM, before the first statement of thread N
 *   random    at each statement, and before the first, wait 0, half, one or two round trips, or for a change, by the seed;
 *             in half of the iterations
 *   traffic:N writes and reads on N other queue pairs of each node, all the time (1 or 2)
 *   loss:N    the network loses N percent (1 to 20) of the packets, which the devices then send again: for machines that
 *             say in LITMPI_LOSS by which command, as the RoCE lab's do
 *   poll:spin | poll:yield | poll:sleep    what a thread does between two looks for a completion
 *   place:same | place:spread | place:nodes    all threads on one processor; each on its own; each node on its own
 *
 * Nothing of it adds an outcome: a write that nobody reads, a load whose value is thrown away and time are in every
 * program, and a connection is reliable. Round trips are measured before the first iteration. */
#define _GNU_SOURCE
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, HALVES = 8, LOSS = 20 };

/* Each node's vector, and what it makes of it. */
static struct vector {
    /* A thread's number stands in `line` as its negative. */
    struct item {
        int line, amount, node; /* a node's number, or 0 */
        char kind;
    } items[ITEMS];
    int count, random_delays, traffic, place, loss;
    int slow_stores;   /* whether there are any */
    double round_trip; /* milliseconds */
    atomic_int traffic_stops;
    struct carrier {
        pthread_t thread;
        int number;
        struct litmpi_home home;
    } carrier[LITMPI_BACKGROUND];
    int carriers;
} vectors[LITMPI_NODES];
#define HERE vectors[litmpi_me]

static int parse_item(const char *word)
{
    struct item item = {0};
    char kind[16];
    if (strcmp(word, "random") == 0)
        return HERE.random_delays = 1;
    if (sscanf(word, "traffic:%d", &HERE.traffic) == 1)
        return HERE.traffic >= 1 && HERE.traffic <= LITMPI_BACKGROUND;
    if (sscanf(word, "loss:%d", &HERE.loss) == 1)
        return HERE.loss >= 1 && HERE.loss <= LOSS;
    if (sscanf(word, "poll:%15s", kind) == 1)
        return (litmpi_poll_style = strcmp(kind, "spin") == 0    ? LITMPI_POLL_SPIN
                                    : strcmp(kind, "yield") == 0 ? LITMPI_POLL_YIELD
                                    : strcmp(kind, "sleep") == 0 ? LITMPI_POLL_SLEEP
                                                                 : 0);
    if (sscanf(word, "place:%15s", kind) == 1)
        return (HERE.place = strcmp(kind, "same") == 0 ? 's' : strcmp(kind, "spread") == 0 ? 'p'
                                                      : strcmp(kind, "nodes") == 0    ? 'n'
                                                                                      : 0);
    if (sscanf(word, "t%d:%c%d", &item.line, &item.kind, &item.amount) == 3)
        item.line = -item.line;
    else if (sscanf(word, "%d:%c%d@%d", &item.line, &item.kind, &item.amount, &item.node) < 3)
        return 0;
    int most = item.kind == 'f' ? LITMPI_FLOOD : item.kind == 's' ? LITMPI_STORES : HALVES;
    if (HERE.count == ITEMS || !strchr("dfsw", item.kind) || item.amount < 0 || item.amount > most)
        return 0;
    HERE.items[HERE.count++] = item;
    HERE.slow_stores |= item.kind == 's';
    return 1;
}

static void forget(void)
{
    HERE.count = HERE.slow_stores = HERE.random_delays = HERE.traffic = HERE.place = HERE.loss = litmpi_poll_style = 0;
}

/* Reads the entry's stress; 0 and the bad item in `bad` if it cannot. */
static int parse(char *text, const char **bad)
{
    forget();
    for (char *rest, *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (!parse_item(*bad = word))
            return 0;
    return 1;
}

/* The paper spins; a thread that spins for long would keep others, and the device if it is software, from running. */
static void wait_halves(int halves, int (*until)(void))
{
    double begun = litmpi_now(), length = 0.5 * halves * HERE.round_trip;
    while (litmpi_now() - begun < length && !(until && until()))
        if (length > 5e-3)
            sched_yield();
}

/* A processor's stores become visible in order, and none before what a fence of stores stands behind. A store that goes past the caches
 * takes some hundred nanoseconds, and so does the fence behind it, which keeps no load back: what the thread stores next waits in its buffer
 * for a microsecond and more, while what it loads next is loaded at once. */
enum { LINE = 64 };
static _Alignas(LINE) char slow[LITMPI_THREADS][LITMPI_STORES * LINE];

void litmpi_slow_prepare(void)
{
    /* No page is missing later. */
    *(volatile char *)slow[litmpi_self] = 0;
}

void litmpi_slow_stores(int number)
{
    for (int i = 0; i < number; i++) {
        __builtin_ia32_movnti64((long long *)(void *)(slow[litmpi_self] + i * LINE), 0);
        __builtin_ia32_sfence();
    }
}

static int memory_has_changed(void)
{
    const struct litmpi_node *node = &litmpi_current->node[litmpi_me];
    for (int i = 0; i < node->blocks; i++)
        if (litmpi_load(LITMPI_AT(i)) != node->initial[i])
            return 1;
    return 0;
}

/* The paper's three durations, a longer one, and waiting for what others do: that is what several threads need to meet. */
static void wait_at_random(void)
{
    switch (litmpi_choose(6)) {
    case 0: wait_halves(1, NULL); break;
    case 1: wait_halves(2, NULL); break;
    case 2: wait_halves(4, NULL); break;
    case 3: wait_halves(HALVES / 2, memory_has_changed); break;
    default: break;
    }
}

void litmpi_stress_at(int line)
{
    /* All threads agree: an iteration in which one waits is slow for all. */
    int waits = litmpi_mix(litmpi_entry.seed ^ litmpi_mix((uint64_t)atomic_load(&litmpi_iteration))) & 1;
    int place_of = line ? line : -litmpi_current->thread[litmpi_self].number;
    if (HERE.random_delays && waits)
        wait_at_random();
    if (HERE.slow_stores && !line)
        litmpi_slow_prepare();
    for (int i = 0; i < HERE.count; i++)
        if (HERE.items[i].line == place_of) {
            if (HERE.items[i].kind == 'f')
                litmpi_queues_flood(HERE.items[i].amount, HERE.items[i].node);
            else if (HERE.items[i].kind == 's')
                litmpi_slow_stores(HERE.items[i].amount);
            else
                wait_halves(HERE.items[i].amount, HERE.items[i].kind == 'w' ? memory_has_changed : NULL);
        }
}

void litmpi_stress_place(int index)
{
    cpu_set_t all, one;
    int wanted = HERE.place == 's' ? 0 : HERE.place == 'n' ? litmpi_me : index, n = 0;
    if (!HERE.place || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    wanted %= CPU_COUNT(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && n++ == wanted) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        }
}

static void *carry(void *argument)
{
    const struct carrier *carrier = argument;
    litmpi_enter(&carrier->home);
    litmpi_queues_carry(carrier->number, &HERE.traffic_stops);
    return NULL;
}

/* The network of this machine: every node has it lose as much, which does no harm. */
static void lose(int percent)
{
    const char *command = getenv("LITMPI_LOSS");
    char words[256];
    if (!command || !*command)
        litmpi_fail("device", "stress: loss: LITMPI_LOSS names no command that has the network lose packets");
    snprintf(words, sizeof words, "%s %d", command, percent);
    if (system(words) != 0)
        litmpi_fail("device", "stress: loss: the network cannot be made to lose packets; `litmpi lab setup --again` may help");
}

void litmpi_stress_begin(void)
{
    char text[sizeof litmpi_entry.stress];
    const char *bad = "";
    strcpy(text, litmpi_entry.stress);
    if (!parse(text, &bad)) {
        if (litmpi_me == 0)
            litmpi_say("litmpi problem: stress: cannot read %s", bad);
        forget();
    }
    HERE.round_trip = HERE.count || HERE.random_delays ? litmpi_queues_round_trip() : 0;
    if (HERE.loss)
        lose(HERE.loss);
    atomic_store(&HERE.traffic_stops, 0);
    for (HERE.carriers = 0; HERE.carriers < HERE.traffic; HERE.carriers++) {
        struct carrier *carrier = &HERE.carrier[HERE.carriers];
        carrier->number = HERE.carriers;
        carrier->home = litmpi_home();
        if (pthread_create(&carrier->thread, NULL, carry, carrier) != 0)
            litmpi_fail("thread", "no thread can be made");
    }
}

void litmpi_stress_end(void)
{
    atomic_store(&HERE.traffic_stops, 1);
    for (; HERE.carriers > 0; HERE.carriers--)
        pthread_join(HERE.carrier[HERE.carriers - 1].thread, NULL);
    if (HERE.loss)
        lose(0);
}
