/* What the parts of the verbs harness share.
 *
 * A launch is one process for each node, forked from the first, or, with `as=threads`, one thread of one process for each; then
 * threads for the threads of the tests, and a region of memory that all share. The region is the other channel: connection data, barriers and outcomes go through
 * it, never through the device under test. */
#ifndef LITMPI_HARNESS_H
#define LITMPI_HARNESS_H

#include "litmpi.h"
#include "common.h"

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdint.h>

#define LITMPI_LITERALS 64 /* puts of constants that a thread may make in an iteration */
#define LITMPI_BACKGROUND 2 /* queue pairs with background traffic, of each node */
#define LITMPI_FLOOD 64     /* most writes of a flood */
#define LITMPI_STORES 64    /* most stores that another waits behind */

/* How one test is run: a line of the schedule. */
struct litmpi_entry {
    char test[128];
    int id;           /* names the entry in the output */
    long iterations;  /* at most */
    long millis;      /* at most */
    uint64_t seed;
    long start;       /* number of the first iteration: replays */
    double delay;     /* chance of a delay at a statement */
    double delay_max; /* its greatest length, microseconds */
    int watchdog;     /* seconds without progress until the process gives up */
    int stuck;        /* milliseconds that a poll waits until it is given up */
    long hangs;       /* stop after this many deadlocks */
    long loop;        /* most turns of a loop */
    int use_inline;   /* puts of constants carry IBV_SEND_INLINE */
    int no_rnr_retry; /* a message that finds no receive is not sent again */
    char stress[512]; /* see stress.c */
    long score, scores; /* the first one to follow, and how many; see direct.c */
};

/* What a node tells the others of one of its queue pairs. */
struct litmpi_address {
    uint32_t qpn;
};

struct litmpi_host {
    uint16_t lid;
    uint8_t link_layer;
    union ibv_gid gid;
    uint64_t memory;
    uint32_t rkey;
    /* By thread of the asking node, and the other node: queue pairs that ask, reliable and unreliable ones, and those that answer, with
     * receives of their own, with shared ones, and those that are unreliable. */
    struct litmpi_address asks[2][LITMPI_THREADS + LITMPI_BACKGROUND][LITMPI_NODES];
    struct litmpi_address answers[3][LITMPI_THREADS + LITMPI_BACKGROUND][LITMPI_NODES];
    struct litmpi_address datagrams[LITMPI_THREADS + LITMPI_BACKGROUND]; /* by thread of the node */
};

enum { LITMPI_END_VALUES, LITMPI_END_STUCK, LITMPI_END_CUT, LITMPI_END_ERROR, LITMPI_END_CORRUPT };

/* What the threads of an iteration leave behind. */
struct litmpi_record {
    atomic_int end;   /* the worst LITMPI_END_* */
    atomic_int error; /* the enum ibv_wc_status of an error */
    /* What is corrupt: the node's index, the location there, how many bytes behind its begin, and the word. */
    atomic_int node, block, at;
    atomic_long word;
    int value[LITMPI_OBSERVED];
};

struct litmpi_meeting {
    atomic_int arrived, generation;
};

struct litmpi_shared {
    struct litmpi_meeting threads; /* of the test, twice an iteration */
    struct litmpi_meeting nodes;   /* of the launch, before and after an entry */
    atomic_int stop;               /* the entry is over */
    /* Of this iteration and the last one: the last one is counted while this one runs. */
    struct litmpi_record record[2];
    struct litmpi_host host[LITMPI_NODES];
};

extern struct litmpi_shared *litmpi_shared;
extern int litmpi_nodes; /* nodes of the launch */
/* The node that the calling thread is of: its index, and what is run there. A thread has them from the one that starts it. */
extern _Thread_local int litmpi_me;
extern _Thread_local struct litmpi_entry litmpi_entry;
extern _Thread_local const struct litmpi_test *litmpi_current;
struct litmpi_home {
    int me, poll_style;
    const struct litmpi_entry *entry;
    const struct litmpi_test *current;
    char *memory;
};
struct litmpi_home litmpi_home(void);
void litmpi_enter(const struct litmpi_home *home);

extern atomic_long litmpi_iterations[LITMPI_NODES];
#define litmpi_iteration litmpi_iterations[litmpi_me]
/* The thread that runs: its index in the test and among those of its node, and where it is. */
extern _Thread_local int litmpi_self, litmpi_local;
extern _Thread_local volatile int litmpi_line;

/* main.c */
void litmpi_relax(long *polls); /* between two looks at something that is to change */
/* Waits until so many have come; those who have nothing else to do may sleep. */
void litmpi_meet(struct litmpi_meeting *meeting, int parties, int idle);
void litmpi_note(const char *what, const char *detail);
void litmpi_fail(const char *what, const char *detail); /* notes it and ends the launch */

/* threads.c: a test's threads on this node */
void litmpi_run_entry(void);
void litmpi_end(int end, int error);
void litmpi_guards_fill(int lines); /* of the node's memory */

/* queues.c: the device. `threads` is the most threads that a node has in any test, and background traffic. */
void litmpi_queues_open(const char *device, int gid_index, int threads);
const char *litmpi_library(void);
void litmpi_queues_begin(long iteration); /* by every thread */
void litmpi_queues_drain(void); /* everything that the thread asked for has been done */
void litmpi_queues_flood(int writes, int node); /* of a location that no test has, on the thread's queue pair towards this
                                                  node, by its number, or (0) on all */
void litmpi_queues_carry(int number, atomic_int *stop); /* background traffic */
/* Of the queue pair of a thread of this node, or 0; towards its own node, of that for datagrams. */
uint64_t litmpi_queues_number(int local, int node);
double litmpi_queues_round_trip(void); /* milliseconds, as seen by this node's first thread */
enum { LITMPI_POLL_SPIN = 1, LITMPI_POLL_YIELD, LITMPI_POLL_SLEEP };
extern _Thread_local int litmpi_poll_style;

/* messages.c: queue pairs of tests with messages or errors are made anew after each iteration, of which all may be left in error or with
 * receives that nobody has used */
int litmpi_has_messages(void);
int litmpi_any_shares_receives(void); /* whether any test has a shared receive queue */
void litmpi_messages_begin(void);     /* of an entry, on each node: queue pairs are connected as the test has them */
void litmpi_messages_rest(void);      /* they are emptied */
void litmpi_messages_restore(void);

/* datagrams.c */
int litmpi_has_datagrams(void);    /* whether the test has any */
void litmpi_datagrams_rest(void);  /* the calling thread's queue pair hears nothing more of this iteration */

/* stress.c */
void litmpi_stress_begin(void); /* of an entry, on each node */
void litmpi_stress_end(void);
void litmpi_stress_place(int index); /* puts the calling thread where the entry wants it */
void litmpi_stress_at(int line);     /* 0 before the first statement */
/* Stores that take long, once they have been prepared: those behind them stay in the thread's buffer for a microsecond or two. */
void litmpi_slow_prepare(void);
void litmpi_slow_stores(int number);

/* direct.c */
void litmpi_direct_begin(void);          /* of an entry, on each node */
void litmpi_direct_next(long iteration); /* chooses its score: by the test's first thread, before all meet */
void litmpi_direct_ready(void);          /* each thread, when all have met */
void litmpi_direct_at(int line);         /* waits for the statement's turn */
int litmpi_direct_races(int line);       /* whether the thread is to lose no time there, nor to store anything */
void litmpi_direct_end(void);            /* the thread's body has ended */

/* outcomes.c: the histogram, in the first node's process */
void litmpi_outcomes_begin(void);
int litmpi_outcomes_add(const struct litmpi_record *record, long iteration); /* whether it was a deadlock */
void litmpi_outcomes_print(long iterations);
const char *litmpi_status_name(int status);

#endif
