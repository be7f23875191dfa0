/* Which accesses of a thread come behind the last call of MPI and before the next one, however fast threads run: those that forks, joins and barriers order
 * with these calls. A thread has a clock, which says of each thread how far it is known to be. A lock orders nothing here, since another thread may be the first to have it
 * next time. */
static __thread struct thread *self;

static void hold(void) { lock(&own.threads.held); }
static void let_go(void) { unlock(&own.threads.held); }
static unsigned number_of(const struct thread *t) { return (unsigned)(t - own.threads.all); }
static void learn(uint32_t *to, const uint32_t *from)
{
    for (unsigned i = 0; i < TIMES; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* A place that is free, for a thread that another one makes; NULL if there is none. That of a thread which is known to be over there is free, and its time goes on. */
static struct thread *new_thread(const struct thread *by)
{
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *t = &own.threads.all[i];
        if (t->is_used && !(t->is_over && by && by->knows[i] >= t->knows[i]))
            continue;
        struct thread new = {.is_used = 1, .noted = t->noted, .generation = t->generation};
        new.knows[i] = t->knows[i] + 1, new.knows[HERE + i] = t->knows[HERE + i] + 1;
        *t = new;
        return t;
    }
    return NULL;
}
static struct thread *this_thread(void)
{
    if (!self) {
        hold();
        self = new_thread(NULL);
        let_go();
        /* Nobody has seen how it began. */
        if (!self || (pid_t)syscall(SYS_gettid) != getpid())
            own.watch.is_beyond = 1;
    }
    return self;
}

static const void *this_thread_is(void) { return this_thread(); }

/* Whether an access of this thread, which is about to be noted, is behind the last call. */
static int is_noted(void)
{
    struct thread *t = self;
    if (t)
        t->noted = t->knows[number_of(t)], t->generation = own.watch.generation;
    if (!t || t->knows[own.threads.caller] < own.threads.time)
        own.threads.is_loose = 1, own.watch.lost = OTHER_THREAD;
    return !own.threads.is_loose;
}

static void count_call(struct thread *t);
/* This thread calls: what others have accessed since the last call is to be over. */
static void calls(void)
{
    struct thread *t = this_thread();
    hold();
    if (t)
        own.threads.caller = number_of(t), own.threads.time = ++t->knows[number_of(t)];
    for (unsigned i = 0; i < THREADS; i++) {
        struct thread *other = &own.threads.all[i];
        if (other->is_used && other->generation == own.watch.generation && (!t || t->knows[i] < other->noted))
            own.threads.is_loose = 1;
    }
    if (own.threads.is_loose)
        own.watch.lost = OTHER_THREAD;
    count_call(t);
    let_go();
}

/* What it does from here on is not known to those who have learnt of it. */
static void goes_on(struct thread *t) { t->knows[number_of(t)]++, t->knows[HERE + number_of(t)]++; }

/* Threads that a program makes. */
struct start {
    void *(*run)(void *);
    void *with;
    struct thread *thread;
};
static void knows_stack(void);
static void *run_thread(void *of)
{
    struct start s = *(struct start *)of;
    free(of);
    self = s.thread;
    knows_stack();
    if (self) {
        hold();
        for (struct thread *t = own.threads.all; t < own.threads.all + THREADS; t++)
            if (t->has_id && pthread_equal(t->id, pthread_self()))
                t->has_id = 0;
        self->id = pthread_self(), self->has_id = 1;
        let_go();
    }
    return s.run(s.with);
}
/* What a new thread is to do, known to the one that makes it. */
static struct start *starts(void *(*run)(void *), void *with)
{
    struct start *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    struct thread *t = this_thread();
    hold();
    own.watch.is_several = 1;
    *s = (struct start){run, with, new_thread(t)};
    if (s->thread && t)
        learn(s->thread->knows, t->knows), goes_on(t);
    let_go();
    return s;
}
int pthread_create(pthread_t *id, const pthread_attr_t *with, void *(*run)(void *), void *arg)
{
    static int (*creates)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!creates)
        *(void **)&creates = next("pthread_create");
    struct start *s = starts(run, arg);
    if (!s)
        return EAGAIN;
    struct thread *made = s->thread;
    int failed = creates(id, with, run_thread, s);
    if (failed) {
        if (made)
            made->is_over = 1;
        free(s);
    }
    return failed;
}
static void has_joined(pthread_t id)
{
    struct thread *t = this_thread();
    hold();
    for (struct thread *other = own.threads.all; other < own.threads.all + THREADS; other++)
        if (other->has_id && pthread_equal(other->id, id)) {
            if (t)
                learn(t->knows, other->knows);
            other->has_id = 0, other->is_over = 1;
        }
    let_go();
}
int pthread_join(pthread_t id, void **result)
{
    static int (*joins)(pthread_t, void **);
    if (!joins)
        *(void **)&joins = next("pthread_join");
    int failed = joins(id, result);
    if (!failed)
        has_joined(id);
    return failed;
}

/* Where threads meet: each makes known what it has done, and knows behind it what all have. One of them may be at the next such place already, but not at the
 * one after that. */
static void arrives(uint32_t (*arrived)[TIMES], unsigned round)
{
    struct thread *t = this_thread();
    if (!t)
        return;
    hold();
    learn(arrived[round & 1], t->knows);
    let_go();
}
/* What a thread does while it waits, as tasks of OpenMP, is done before the others go on. */
static void leaves(uint32_t (*arrived)[TIMES], unsigned round)
{
    struct thread *t = this_thread();
    if (!t)
        return;
    hold();
    learn(t->knows, arrived[round & 1]);
    goes_on(t);
    let_go();
}

static struct gate *gate_of(void *at)
{
    for (struct gate *g = own.threads.gates; g < own.threads.gates + GATES; g++)
        if (g->at == at)
            return g;
    return NULL;
}
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *with, unsigned needs)
{
    static int (*makes)(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
    if (!makes)
        *(void **)&makes = next("pthread_barrier_init");
    hold();
    struct gate *gate = gate_of(barrier);
    gate = gate ? gate : gate_of(NULL);
    if (gate)
        *gate = (struct gate){.at = barrier, .needs = needs};
    let_go();
    return makes(barrier, with, needs);
}
int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    static int (*waits)(pthread_barrier_t *);
    if (!waits)
        *(void **)&waits = next("pthread_barrier_wait");
    hold();
    struct gate *gate = gate_of(barrier);
    unsigned round = gate && gate->needs ? gate->came++ / gate->needs : 0;
    let_go();
    if (gate)
        arrives(gate->arrived, round);
    int result = waits(barrier);
    if (gate)
        leaves(gate->arrived, round);
    return result;
}

/* OpenMP, as GCC has it. */
struct team {
    uint32_t began[TIMES], over[TIMES], arrived[2][TIMES];
    void (*run)(void *);
    void *with;
};
static void run_in_team(void *of)
{
    struct team *team = of;
    struct thread *t = this_thread();
    struct team *outer = t ? t->team : NULL;
    unsigned round = t ? t->round : 0;
    if (t) {
        hold();
        t->team = team, t->round = 0;
        learn(t->knows, team->began), goes_on(t);
        let_go();
    }
    team->run(team->with);
    if (t) {
        hold();
        learn(team->over, t->knows);
        t->team = outer, t->round = round;
        let_go();
    }
}
static struct team forks(void (*run)(void *), void *with)
{
    struct team team = {.run = run, .with = with};
    struct thread *t = this_thread();
    own.watch.is_several = 1;
    if (t) {
        hold();
        learn(team.began, t->knows), goes_on(t);
        let_go();
    }
    return team;
}
static void joined(struct team *team)
{
    struct thread *t = this_thread();
    if (!t)
        return;
    hold();
    learn(t->knows, team->over);
    let_go();
}

#define PARALLEL(name, parameters, ...) \
    void GOMP_parallel##name parameters \
    { \
        static void (*real) parameters; \
        if (!real) \
            *(void **)&real = next("GOMP_parallel" #name); \
        struct team team = forks(run, with); \
        run = run_in_team, with = &team; \
        real(__VA_ARGS__); \
        joined(&team); \
    }
PARALLEL(, (void (*run)(void *), void *with, unsigned n, unsigned flags), run, with, n, flags)
PARALLEL(_sections, (void (*run)(void *), void *with, unsigned n, unsigned count, unsigned flags), run, with, n, count, flags)
#define LOOP(name) \
    PARALLEL(_loop_##name, (void (*run)(void *), void *with, unsigned n, long from, long to, long by, long part, unsigned flags), \
             run, with, n, from, to, by, part, flags)
#define LOOP_AT_RUN_TIME(name) \
    PARALLEL(_loop_##name, (void (*run)(void *), void *with, unsigned n, long from, long to, long by, unsigned flags), \
             run, with, n, from, to, by, flags)
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
LOOP_AT_RUN_TIME(runtime)
LOOP_AT_RUN_TIME(nonmonotonic_runtime)
LOOP_AT_RUN_TIME(maybe_nonmonotonic_runtime)

#define MEETING(type, name) \
    type GOMP_##name(void) \
    { \
        static type (*real)(void); \
        if (!real) \
            *(void **)&real = next("GOMP_" #name); \
        struct thread *t = this_thread(); \
        struct team *team = t ? t->team : NULL; \
        unsigned round = t ? t->round++ : 0; \
        if (team) \
            arrives(team->arrived, round); \
        BEHIND_##type(real(), if (team) leaves(team->arrived, round)); \
    }
#define BEHIND_void(does, then) \
    does; \
    then
#define BEHIND__Bool(does, then) \
    _Bool is_cancelled = does; \
    then; \
    return is_cancelled
MEETING(void, barrier)
MEETING(void, loop_end)
MEETING(void, sections_end)
MEETING(_Bool, barrier_cancel)
MEETING(_Bool, loop_end_cancel)
MEETING(_Bool, sections_end_cancel)
