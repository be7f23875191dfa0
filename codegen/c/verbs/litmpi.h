/* What a generated verbs test sees of its harness.
 *
 * A location is one 64-bit integer (what atomic operations of a device work on) on a cache line of its own, in memory that
 * is registered with the device; its values are those of an int. A value stands in it as a sum with LITMPI_BASE, whose bytes all
 * differ, so that a word whose bytes were moved, doubled or left out is none; the rest of the line is a guard. Loads and stores of a thread are plain `mov`s, so that
 * the nodes are what the models take them for: x86-TSO machines. */
#ifndef LITMPI_H
#define LITMPI_H

#include <stddef.h>

#if !defined(__x86_64__)
#error "the models are of x86-TSO nodes: these tests are for x86-64"
#endif

#define LITMPI_OBSERVED 64 /* most observables of a test */
#define LITMPI_NODES 8     /* most nodes of a test */
#define LITMPI_THREADS 16  /* most threads of a test */
#define LITMPI_BLOCKS 64   /* most locations of a node */
#define LITMPI_LINE 64     /* bytes from one location to the next */

struct litmpi_node {
    int number;         /* as the test says it: from 1 */
    const int *initial; /* of each location */
    int blocks;
};

struct litmpi_thread {
    int number;
    int node; /* its index */
    void (*body)(void);
};

/* Where an observable lives: a location of a node, or (block -1) a register, which its thread reports. */
struct litmpi_observable {
    int node;
    int block;
};

struct litmpi_test {
    const char *name;
    const char *file;
    int nodes;
    const struct litmpi_node *node;
    int threads;
    const struct litmpi_thread *thread;
    int observed;
    const struct litmpi_observable *observable;
    const char *uses; /* names of its instructions, each behind a space; NULL for none but loads and stores */
};

extern const struct litmpi_test *const litmpi_tests[];
extern const int litmpi_test_count;

/* The locations of the calling thread's node. */
extern _Thread_local char *litmpi_memory;
int *litmpi_location(int number);


#define LITMPI_AT(number) ((int *)(void *)(litmpi_memory + (size_t)(number) * LITMPI_LINE))
#define LITMPI_AFTER(location, number) ((location) + (size_t)(number) * (LITMPI_LINE / sizeof(int)))

/* A location of another node, by the node's number and the location's place there. */
struct litmpi_remote {
    int node;
    int block;
};
#define LITMPI_REMOTE(node, block) ((struct litmpi_remote){node, block})

/* Makes a call that can fail; if it does, the thread's body ends. */
#define LITMPI_TRY(call)     \
    do {                     \
        if (!(call))         \
            goto done;       \
    } while (0)

/* What stands for 0. Sums of a word and a plain number, as a fetch-and-add makes them, are words. */
#define LITMPI_BASE 0x17a5c3e92d468b00L
#define LITMPI_WORD(value) (LITMPI_BASE + (long)(value))
/* Remembers that a location holds no value. */
void litmpi_foreign(const int *location, long word);

/* The value of a word that was at a location. */
static inline int litmpi_value(const int *location, long word)
{
    long value = (long)((unsigned long)word - (unsigned long)LITMPI_BASE);
    if (value != (int)value)
        litmpi_foreign(location, word);
    return (int)value;
}


/* All of a location. */
#define LITMPI_CELL(location) (*(long *)(void *)(location))
#define LITMPI_CONST_CELL(location) (*(const long *)(const void *)(location))

static inline void litmpi_store(int *location, int value)
{
    __asm__ volatile("movq %1, %0" : "=m"(LITMPI_CELL(location)) : "r"(LITMPI_WORD(value)) : "memory");
}

static inline int litmpi_load(const int *location)
{
    long word;
    __asm__ volatile("movq %1, %0" : "=r"(word) : "m"(LITMPI_CONST_CELL(location)) : "memory");
    return litmpi_value(location, word);
}

static inline void litmpi_mfence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

/* What the location held. */
static inline int litmpi_cas(int *location, int old, int new)
{
    long held = LITMPI_WORD(old);
    __asm__ volatile("lock cmpxchgq %2, %1"
                     : "+a"(held), "+m"(LITMPI_CELL(location))
                     : "r"(LITMPI_WORD(new))
                     : "memory", "cc");
    return litmpi_value(location, held);
}

static inline int litmpi_exchange(int *location, int value)
{
    long held = LITMPI_WORD(value);
    __asm__ volatile("xchgq %0, %1" : "+r"(held), "+m"(LITMPI_CELL(location)) : : "memory");
    return litmpi_value(location, held);
}

static inline int litmpi_fetch_add(int *location, int value)
{
    long held = value;
    __asm__ volatile("lock xaddq %0, %1" : "+r"(held), "+m"(LITMPI_CELL(location)) : : "memory", "cc");
    return litmpi_value(location, held);
}

/* The processor has no instruction that gives the old value of these. */
#define LITMPI_FETCH(name, operator)                                              \
    static inline int litmpi_fetch_##name(int *location, int value)                \
    {                                                                              \
        for (;;) {                                                                 \
            int old = litmpi_load(location);                                       \
            if (litmpi_cas(location, old, old operator value) == old)              \
                return old;                                                        \
        }                                                                          \
    }
LITMPI_FETCH(and, &)
LITMPI_FETCH(or, |)
LITMPI_FETCH(xor, ^)
#undef LITMPI_FETCH

static inline void litmpi_lfence(void)
{
    __asm__ volatile("lfence" : : : "memory");
}

static inline void litmpi_sfence(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

void litmpi_point(int line);         /* the statement of this line begins: perhaps a delay */
int litmpi_choose(int alternatives); /* one of 0 .. alternatives - 1 */
int litmpi_turn(long turn);          /* whether a loop may go on; remembers that it was cut */

/* Remote operations, on the queue pair of the calling thread towards the node. */
void litmpi_get(int *to, struct litmpi_remote from);
void litmpi_put(struct litmpi_remote to, const int *from);
void litmpi_put_value(struct litmpi_remote to, int value);
void litmpi_rfaa(int *to, struct litmpi_remote at, int value); /* fetch-and-add */
void litmpi_rcswap(int *to, struct litmpi_remote at, int old, int new); /* compare-and-swap */
void litmpi_rfence(int node); /* the next operation towards the node carries IBV_SEND_FENCE */
int litmpi_poll(int node);    /* waits for the earliest operation not yet polled; 0 when it is given up */

/* Messages and errors: messages.c. Receives are those of this node's end of the queue pair of the thread with that number. */
#define LITMPI_NO_IMMEDIATE (-1)
void litmpi_send(int node, const int *from, int immediate, int length);
void litmpi_send_value(int node, int value, int immediate, int length);
void litmpi_write_with_imm(struct litmpi_remote to, const int *from, int immediate);
void litmpi_write_value_with_imm(struct litmpi_remote to, int value, int immediate);
void litmpi_post_recv(int thread, int *to, int room, int id);
void litmpi_post_srq_recv(int *to, int room, int id);
/* Wait for a completion; 0 when it is given up. Where nothing is to be told, NULL. */
int litmpi_poll_recv(int thread, int *status, int *immediate, int *id, int *length);
int litmpi_poll_cq(int node, int *status);
void litmpi_modify_qp(int node, int state);
int litmpi_await_drained(int node);
void litmpi_modify_recv_qp(int thread, int state);
void litmpi_bind_window(int node);  /* of this node's memory */
void litmpi_unreliable(int node);   /* the type of the queue pair */
void litmpi_write_astray(int node); /* where the other node has registered nothing */
void litmpi_write_from_astray(int node); /* from where this one has not */

/* Datagrams: datagrams.c. Each thread has a queue pair for them; others are named by their thread's number. */
void litmpi_ud_send(int thread, const int *from, int immediate, int length);
void litmpi_ud_send_value(int thread, int value, int immediate, int length);
void litmpi_ud_send_from_astray(int thread);
void litmpi_ud_post_recv(int *to, int room, int id);
int litmpi_ud_poll(int *status);
int litmpi_ud_poll_recv(int *status, int *immediate, int *id, int *length);
void litmpi_ud_try_recv(int *found, int *immediate, int *id); /* looks once */
void litmpi_ud_modify_qp(int state);
int litmpi_ud_await_drained(void);

/* For programs in another language, which post and poll by themselves. */
struct litmpi_path {
    void *qp, *cq;
    unsigned long remote; /* the address of the location */
    unsigned rkey, lkey;
    int fence, has_atomics;
};
/* Where receives are posted, and where their completions are. */
struct litmpi_receiver {
    void *queue, *received;
    unsigned lkey;
};
/* The calling thread's queue pair for datagrams, and where one goes. */
struct litmpi_datagrams_own {
    void *qp, *sent, *received, *header;
    unsigned header_bytes, header_key, lkey;
};
struct litmpi_destination {
    void *address;
    unsigned number, key;
};
struct litmpi_polling {
    long polls;
    double since;
};
/* The calling thread's way to a location; for a request, which then is posted. */
void litmpi_path(struct litmpi_remote at, int is_request, struct litmpi_path *path);
int *litmpi_literal(int value);                         /* a line of registered memory that holds it */
int litmpi_poll_again(struct litmpi_polling *polling);  /* after a look for nothing; 0 when it is given up */
void litmpi_took(int node);                              /* a completion was taken of a request towards that node */
void litmpi_went_wrong(int status);                     /* of a completion; ends the launch */
int litmpi_use_inline(void);                            /* whether constants go with their requests */
/* This node's end of the queue pair of the thread with that number, or (0) of all that share their receives. */
void litmpi_receiver(int thread, struct litmpi_receiver *receiver);
void litmpi_datagrams_own(struct litmpi_datagrams_own *own);
void litmpi_destination(int thread, struct litmpi_destination *to);
void litmpi_device_failed(const char *call, int error); /* ends the launch */

void litmpi_observe(int observable, int value); /* a register's final value */

#endif
