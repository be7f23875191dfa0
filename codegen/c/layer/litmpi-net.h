/* What libraries that `litmpi emit --layer` makes stand on: memory that all processes have in the same places, puts and gets
 * under work identifiers, waits. One thread of each process calls it. */
#ifndef LITMPI_NET_H
#define LITMPI_NET_H

#include <sched.h>
#include <stdint.h>

#if !defined __x86_64__
#error "the layers were refined over x86-TSO; other processors need fences that they do not have"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct litmpi_net {
    int rank, nodes;
    char *memory;              /* registered, 0 at first, with the same places on every process */
    uint64_t bytes, taken;     /* its size, and what objects have of it */
    uint64_t *posted, *done;   /* of each node: operations towards it so far, and how many are complete */
    struct litmpi_verbs *device;
    const char *meet;
};

/* Processes, by their ranks. */
struct litmpi_nodes {
    int count;
    const int *of;
};

/* The same as an object has them, and which of them the own one is, or -1. */
struct litmpi_users {
    int count;
    const int *of;
    int own;
};

/* A work identifier: of each node, the last operation under it. */
struct litmpi_work {
    uint64_t *last;
};

/* Opens the device and connects every process with every other. All call it, with the same `nodes`, `bytes` and `meet`: a folder
 * that all see, new for each run, or HOST:PORT, where rank 0 listens. LITMPI_DEVICE and LITMPI_GID_INDEX choose the device.
 * What fails is said on stderr, and the process ends with 3. */
struct litmpi_net *litmpi_net_open(int rank, int nodes, uint64_t bytes, const char *meet);
/* The same by the variables LITMPI_RANK, LITMPI_NODES, LITMPI_BYTES (default 1 MiB) and LITMPI_MEET. */
struct litmpi_net *litmpi_net_from_environment(void);
/* Waits for all, then lets the device go. */
void litmpi_net_close(struct litmpi_net *net);

/* Asynchronous: `own` is read, or written, until the work is waited for. Of more than eight bytes no order is promised among
 * the words. */
void litmpi_put(struct litmpi_net *net, int node, uint64_t to, uint64_t own, uint64_t bytes, struct litmpi_work *work);
void litmpi_get(struct litmpi_net *net, int node, uint64_t from, uint64_t own, uint64_t bytes, struct litmpi_work *work);
void litmpi_wait(struct litmpi_net *net, const struct litmpi_work *work);

void litmpi_work_begin(struct litmpi_net *net, struct litmpi_work *work);
uint64_t litmpi_take(struct litmpi_net *net, uint64_t bytes);
struct litmpi_users litmpi_users_of(struct litmpi_net *net, struct litmpi_nodes nodes);
void *litmpi_zeroed(uint64_t bytes);
/* Ends the process if it is no user, by a function's name. */
void litmpi_must(int is_user, const char *function);
/* Says what is wrong and ends the process. */
__attribute__((noreturn)) void litmpi_net_failed(const char *what);

/* litmpi-meet.c: what each process has to say, for all; `all` has room for what each says. */
void litmpi_meet_all(const char *meet, int rank, int nodes, const char *round, const void *mine, void *all, uint64_t each);

static inline int64_t litmpi_load(struct litmpi_net *net, uint64_t at)
{
    return __atomic_load_n((int64_t *)(net->memory + at), __ATOMIC_ACQUIRE);
}

static inline void litmpi_store(struct litmpi_net *net, uint64_t at, int64_t value)
{
    __atomic_store_n((int64_t *)(net->memory + at), value, __ATOMIC_RELEASE);
}

static inline void litmpi_mfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* As the specification has it: never negative. */
static inline int64_t litmpi_mod(int64_t a, int64_t b)
{
    int64_t rest;
    if (b == 0)
        litmpi_net_failed("a remainder by 0");
    rest = b == -1 ? 0 : a % b;
    return rest < 0 ? rest + (b < 0 ? -b : b) : rest;
}

/* A word more in a number that is to tell different words apart: one word that differs always shows, several but for one case in 2^64.
 * (The specification's own is exact, for the few small numbers that are tried there.) */
static inline int64_t litmpi_mixed(int64_t before, int64_t word)
{
    uint64_t x = (uint64_t)before * 0x9e3779b97f4a7c15u + (uint64_t)word;
    x ^= x >> 32;
    return (int64_t)(x * 0xd6e8feb86659fd93u);
}

static inline uint64_t litmpi_index(int64_t index, int64_t size)
{
    if (index < 0 || index >= size)
        litmpi_net_failed("an index that memory does not have");
    return (uint64_t)index;
}

/* Which of them a process is; which process is at a place, past the last the first again. */
static inline int64_t litmpi_place(struct litmpi_users users, int64_t node)
{
    for (int i = 0; i < users.count; i++)
        if (users.of[i] == node)
            return i;
    litmpi_net_failed("a process that is none of an object's users");
}

static inline int64_t litmpi_member(struct litmpi_users users, int64_t place)
{
    return users.of[litmpi_mod(place, users.count)];
}

/* Another round of a loop that waits. */
static inline void litmpi_pause(struct litmpi_net *net)
{
    (void)net;
    sched_yield();
}

#ifdef __cplusplus
}
#endif

#endif
