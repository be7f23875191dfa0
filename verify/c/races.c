/* Accesses of other threads to what calls use, really before the call or after it, though nothing orders the two: the next time they may meet. Each access of a thread that does not
 * call MPI is logged with the thread's time and what it knows of calls; litmpi holds the log against the buffers of calls (verify/src/races.rs).
 *
 * Beside what orders threads in every execution (threads.c), locks and atomic accesses order what is logged, as they have in this execution. What may order threads and is not told apart
 * is taken to order all that comes to it, and where a thread uses what is not understood at all, nothing is held against the process: an order that is not there hides a race, and
 * one that is missed would make one. */
static __thread struct {
    uintptr_t from, to;
} stack;
/* Where this thread takes what others have made known, before it does anything else. */
static __thread const void *takes_later;
static __thread int will_take;

/* Memory of this thread's own stack is handed to other threads by what orders them, and is another thread's when it is over. */
static void knows_stack(void)
{
    pthread_attr_t with;
    void *at;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &with))
        return;
    if (!pthread_attr_getstack(&with, &at, &bytes))
        stack.from = (uintptr_t)at, stack.to = (uintptr_t)at + bytes;
    pthread_attr_destroy(&with);
}

static uint32_t *met_at(const void *at)
{
    return own.threads.met[at ? ((uintptr_t)at >> 2) * 0x9e3779b97f4a7c15u >> 56 : MEETINGS];
}
static void learn_here(uint32_t *to, const uint32_t *from)
{
    for (unsigned i = HERE; i < TIMES; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}
static void takes_now(struct thread *t)
{
    if (will_take)
        will_take = 0, learn_here(t->knows, met_at(takes_later));
}
/* What this thread has done comes before what is done by those who come here after it. */
void litmpi_gives(const void *at)
{
    struct thread *t = own.watch.is_several ? this_thread() : NULL;
    if (!t)
        return;
    hold();
    takes_now(t);
    learn_here(met_at(at), t->knows);
    t->knows[HERE + number_of(t)]++;
    let_go();
}
void litmpi_takes(const void *at)
{
    struct thread *t = own.watch.is_several ? this_thread() : NULL;
    if (!t)
        return;
    hold();
    takes_now(t);
    learn_here(t->knows, met_at(at));
    let_go();
}
void litmpi_will_take(const void *at)
{
    struct thread *t = own.watch.is_several ? this_thread() : NULL;
    if (!t)
        return;
    hold();
    takes_now(t);
    takes_later = at, will_take = 1;
    let_go();
}

/* Where the last access of a place in the program stands, in this thread: those of a loop become one. */
static __thread struct {
    const void *site;
    uint64_t entry;
} latest[64];

static void log_access(const void *place, size_t bytes, uint64_t kind, const void *site)
{
    uint64_t at = (uint64_t)place;
    if (!own.line || !bytes || pthread_equal(own.first, pthread_self()) || (at >= stack.from && at < stack.to))
        return;
    struct thread *t = this_thread();
    if (!t)
        return;
    hold();
    takes_now(t);
    unsigned me = number_of(t), slot = (unsigned)((uintptr_t)site * 0x9e3779b97f4a7c15u >> 58);
    struct logged new = {at, at + bytes, (uint64_t)site, own.watch.calls, me, t->knows[HERE + me], t->knows[CALLS], 0, kind};
    struct logged *l = &own.watch.log[latest[slot].entry];
    if (latest[slot].site == site && latest[slot].entry < own.watch.logged && l->site == new.site && l->thread == me && l->time == new.time
        && l->calls == new.calls && l->kind == kind && l->made == new.made && at <= l->end && at + bytes >= l->at) {
        l->at = at < l->at ? at : l->at;
        l->end = new.end > l->end ? new.end : l->end;
    } else {
        /* Where there are too many, one gives way. */
        static unsigned oldest;
        uint64_t entry = own.watch.logged < LOG ? own.watch.logged++ : oldest++ % LOG;
        latest[slot].site = site, latest[slot].entry = entry;
        own.watch.log[entry] = new;
    }
    let_go();
}

/* The memory is another object's. */
static void forget_log(uint64_t from, uint64_t to)
{
    hold();
    for (struct logged *l = own.watch.log; l < own.watch.log + own.watch.logged; l++)
        if (l->at < to && l->end > from)
            l->at = l->end = 0;
    let_go();
}

/* Calls that litmpi may answer before it looks at the log again. */
enum { UNSEEN = 16 };
/* A thread calls: which of the accesses it knows to be over. Those that it knows to be over, and that litmpi has seen, are needed no more. */
static void count_call(struct thread *t)
{
    own.watch.calls++;
    if (!t)
        return;
    takes_now(t);
    t->knows[CALLS] = (uint32_t)own.watch.calls;
    uint64_t left = 0;
    for (uint64_t i = 0; i < own.watch.logged; i++) {
        struct logged l = own.watch.log[i];
        l.is_known = t->knows[HERE + l.thread] >= l.time;
        if (l.end && (!l.is_known || l.made + UNSEEN >= own.watch.calls))
            own.watch.log[left++] = l;
    }
    own.watch.logged = left;
}

/* What a program finds under these names must be what stands here; another allocator, or another library of threads, is not understood. */
static void __attribute__((constructor)) is_asked(void)
{
    static const char *const names[] = {"malloc", "free", "pthread_create", "pthread_mutex_lock", "GOMP_parallel"};
    Dl_info here, there;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i]);
        if (found && dladdr(found, &there) && dladdr(&own, &here) && here.dli_fbase != there.dli_fbase)
            own.watch.is_beyond = 1;
    }
}

/* Where a function is that one of these stands before: nothing that the program has. */
static void *real_of(unsigned number, const char *name)
{
    if (!own.threads.real[number])
        own.threads.real[number] = next(name);
    return own.threads.real[number];
}
#define REAL(type, name, parameters) \
    type (*real) parameters; \
    *(void **)&real = real_of(__COUNTER__, #name)
#define TAKING(name, at, parameters, ...) \
    int name parameters \
    { \
        REAL(int, name, parameters); \
        int result = real(__VA_ARGS__); \
        litmpi_takes(at); \
        return result; \
    }
#define GIVING(name, at, parameters, ...) \
    int name parameters \
    { \
        REAL(int, name, parameters); \
        litmpi_gives(at); \
        return real(__VA_ARGS__); \
    }
/* A condition is waited for without the lock. */
#define WAITING(name, parameters, ...) \
    int name parameters \
    { \
        REAL(int, name, parameters); \
        litmpi_gives(m); \
        int result = real(__VA_ARGS__); \
        litmpi_takes(m); \
        litmpi_takes(c); \
        return result; \
    }
TAKING(pthread_mutex_lock, m, (pthread_mutex_t *m), m)
TAKING(pthread_mutex_trylock, m, (pthread_mutex_t *m), m)
TAKING(pthread_mutex_timedlock, m, (pthread_mutex_t *restrict m, const struct timespec *restrict t), m, t)
TAKING(pthread_mutex_clocklock, m, (pthread_mutex_t *restrict m, clockid_t k, const struct timespec *restrict t), m, k, t)
GIVING(pthread_mutex_unlock, m, (pthread_mutex_t *m), m)
TAKING(pthread_spin_lock, (const void *)m, (pthread_spinlock_t *m), m)
TAKING(pthread_spin_trylock, (const void *)m, (pthread_spinlock_t *m), m)
GIVING(pthread_spin_unlock, (const void *)m, (pthread_spinlock_t *m), m)
TAKING(pthread_rwlock_rdlock, m, (pthread_rwlock_t *m), m)
TAKING(pthread_rwlock_wrlock, m, (pthread_rwlock_t *m), m)
TAKING(pthread_rwlock_tryrdlock, m, (pthread_rwlock_t *m), m)
TAKING(pthread_rwlock_trywrlock, m, (pthread_rwlock_t *m), m)
TAKING(pthread_rwlock_timedrdlock, m, (pthread_rwlock_t *restrict m, const struct timespec *restrict t), m, t)
TAKING(pthread_rwlock_timedwrlock, m, (pthread_rwlock_t *restrict m, const struct timespec *restrict t), m, t)
TAKING(pthread_rwlock_clockrdlock, m, (pthread_rwlock_t *restrict m, clockid_t k, const struct timespec *restrict t), m, k, t)
TAKING(pthread_rwlock_clockwrlock, m, (pthread_rwlock_t *restrict m, clockid_t k, const struct timespec *restrict t), m, k, t)
GIVING(pthread_rwlock_unlock, m, (pthread_rwlock_t *m), m)
WAITING(pthread_cond_wait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m), c, m)
WAITING(pthread_cond_timedwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict t), c, m, t)
WAITING(pthread_cond_clockwait, (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t k, const struct timespec *restrict t), c, m, k, t)
GIVING(pthread_cond_signal, c, (pthread_cond_t *c), c)
GIVING(pthread_cond_broadcast, c, (pthread_cond_t *c), c)
TAKING(sem_wait, s, (sem_t *s), s)
TAKING(sem_trywait, s, (sem_t *s), s)
TAKING(sem_timedwait, s, (sem_t *restrict s, const struct timespec *restrict t), s, t)
TAKING(sem_clockwait, s, (sem_t *restrict s, clockid_t k, const struct timespec *restrict t), s, k, t)
GIVING(sem_post, s, (sem_t *s), s)
TAKING(mtx_lock, m, (mtx_t *m), m)
TAKING(mtx_trylock, m, (mtx_t *m), m)
TAKING(mtx_timedlock, m, (mtx_t *restrict m, const struct timespec *restrict t), m, t)
GIVING(mtx_unlock, m, (mtx_t *m), m)
WAITING(cnd_wait, (cnd_t *c, mtx_t *m), c, m)
WAITING(cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t), c, m, t)
GIVING(cnd_signal, c, (cnd_t *c), c)
GIVING(cnd_broadcast, c, (cnd_t *c), c)
/* What C++ makes when it is first used. */
TAKING(__cxa_guard_acquire, g, (long *g), g)
void __cxa_guard_release(long *g)
{
    REAL(void, __cxa_guard_release, (long *));
    litmpi_gives(g);
    real(g);
}

/* What is done once is known to all that come behind it. */
static __thread struct {
    const void *flag;
    void (*run)(void);
} once;
static void run_once(void)
{
    const void *flag = once.flag;
    once.run();
    litmpi_gives(flag);
}
void call_once(once_flag *flag, void (*run)(void))
{
    REAL(void, call_once, (once_flag *, void (*)(void)));
    __typeof__(once) outer = once;
    once.flag = flag, once.run = run;
    real(flag, run_once);
    once = outer;
    litmpi_takes(flag);
}
int pthread_once(pthread_once_t *flag, void (*run)(void))
{
    REAL(int, pthread_once, (pthread_once_t *, void (*)(void)));
    __typeof__(once) outer = once;
    once.flag = flag, once.run = run;
    int result = real(flag, run_once);
    once = outer;
    litmpi_takes(flag);
    return result;
}

/* Threads of C11. */
static int run_of_c11(void *of) { return (int)(intptr_t)run_thread(of); }
int thrd_create(thrd_t *id, thrd_start_t run, void *with)
{
    REAL(int, thrd_create, (thrd_t *, thrd_start_t, void *));
    struct start *s = starts((void *(*)(void *))(void *)run, with);
    return s ? real(id, run_of_c11, s) : thrd_nomem;
}
int thrd_join(thrd_t id, int *result)
{
    REAL(int, thrd_join, (thrd_t, int *));
    int failed = real(id, result);
    if (failed == thrd_success)
        has_joined(id);
    return failed;
}
#define JOINING(name, parameters, ...) \
    int name parameters \
    { \
        REAL(int, name, parameters); \
        int failed = real(__VA_ARGS__); \
        if (!failed) \
            has_joined(id); \
        return failed; \
    }
JOINING(pthread_tryjoin_np, (pthread_t id, void **result), id, result)
JOINING(pthread_timedjoin_np, (pthread_t id, void **result, const struct timespec *t), id, result, t)
JOINING(pthread_clockjoin_np, (pthread_t id, void **result, clockid_t k, const struct timespec *t), id, result, k, t)

/* Functions of which it is not told apart whom they order, and those that put work into another thread's hands in a way that is not followed. Their arguments are integers and
 * addresses, at most twelve. */
#define LIKE_ANY(name, before, after) \
    long name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) \
    { \
        REAL(long, name, (long, long, long, long, long, long, long, long, long, long, long, long)); \
        before; \
        long result = real(a, b, c, d, e, f, g, h, i, j, k, l); \
        after; \
        return result; \
    }
#define ORDERS(name) LIKE_ANY(name, litmpi_gives(NULL), litmpi_takes(NULL))
#define BEYOND(name) LIKE_ANY(name, own.watch.is_beyond = 1, )
ORDERS(GOMP_critical_start)
ORDERS(GOMP_critical_end)
ORDERS(GOMP_critical_name_start)
ORDERS(GOMP_critical_name_end)
ORDERS(GOMP_atomic_start)
ORDERS(GOMP_atomic_end)
ORDERS(GOMP_ordered_start)
ORDERS(GOMP_ordered_end)
ORDERS(GOMP_single_copy_start)
ORDERS(GOMP_single_copy_end)
ORDERS(omp_set_lock)
ORDERS(omp_unset_lock)
ORDERS(omp_test_lock)
ORDERS(omp_set_nest_lock)
ORDERS(omp_unset_nest_lock)
ORDERS(omp_test_nest_lock)
ORDERS(omp_set_lock_)
ORDERS(omp_unset_lock_)
ORDERS(omp_test_lock_)
ORDERS(omp_set_nest_lock_)
ORDERS(omp_unset_nest_lock_)
ORDERS(omp_test_nest_lock_)
BEYOND(GOMP_task)
BEYOND(GOMP_taskloop)
BEYOND(GOMP_taskloop_ull)
BEYOND(GOMP_taskgroup_reduction_register)
BEYOND(GOMP_workshare_task_reduction_unregister)
BEYOND(GOMP_doacross_post)
BEYOND(GOMP_doacross_wait)
BEYOND(GOMP_doacross_ull_post)
BEYOND(GOMP_doacross_ull_wait)
BEYOND(GOMP_parallel_reductions)
BEYOND(GOMP_parallel_start)
BEYOND(GOMP_parallel_sections_start)
BEYOND(GOMP_parallel_loop_static_start)
BEYOND(GOMP_parallel_loop_dynamic_start)
BEYOND(GOMP_parallel_loop_guided_start)
BEYOND(GOMP_parallel_loop_runtime_start)
BEYOND(GOMP_teams_reg)
BEYOND(GOMP_target_ext)
BEYOND(GOMP_cancel)
BEYOND(GOMP_cancellation_point)
/* What one thread writes to a pipe or a socket, another one may wait for. */
#define ORDERED(type, name, parameters, ...) \
    type name parameters \
    { \
        REAL(type, name, parameters); \
        litmpi_gives(NULL); \
        type result = real(__VA_ARGS__); \
        litmpi_takes(NULL); \
        return result; \
    }
ORDERED(ssize_t, read, (int file, void *at, size_t bytes), file, at, bytes)
ORDERED(ssize_t, write, (int file, const void *at, size_t bytes), file, at, bytes)
ORDERED(int, poll, (struct pollfd *all, nfds_t n, int ms), all, n, ms)
ORDERED(int, select, (int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e, struct timeval *restrict t), n, r, w, e, t)
ORDERED(int, epoll_wait, (int file, struct epoll_event *all, int n, int ms), file, all, n, ms)
ORDERED(int, eventfd_read, (int file, eventfd_t *value), file, value)
ORDERED(int, eventfd_write, (int file, eventfd_t value), file, value)
ORDERED(int, sigwait, (const sigset_t *restrict set, int *restrict which), set, which)
ORDERED(int, pthread_kill, (pthread_t id, int which), id, which)
_Static_assert(__COUNTER__ < FUNCTIONS, "there is room for each");
