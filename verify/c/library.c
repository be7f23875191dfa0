/* The MPI library that `litmpi verify` puts under a program. It knows nothing of MPI: every call goes, with its arguments as they are, to
 * litmpi, which looks into this process's memory, puts what the rules answer there, and says what the call returns. While
 * it waits the process can be doubled: the copy goes on with one answer, this one stays for another. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

enum { ARGUMENTS = 16, STACK = 8, PLACE = 96, ANSWER = 1, DOUBLE = 2, COMBINE = 3, QUIT = 4 };
/* What a process says: who it is, what it calls, whether it was doubled, what its function has combined, where it ends; which copy combines, and how that
 * has ended. */
enum { HELLO = 1, CALL = 2, DOUBLED = 3, COMBINED = 4, ENDS = 5, COMBINES = 6, OVER = 7 };

struct said {
    uint32_t what, function;
    uint64_t site;
    uint64_t value[ARGUMENTS];
    /* Of a call: what its caller returns to, and so on; and the line in Python, in words. */
    uint64_t stack[STACK];
    char place[PLACE];
};
struct told {
    uint64_t what, value;
};

/* Accesses of a program that `litmpi cc` has compiled, and memory that any program frees. litmpi writes here which memory it wants to know about, in order of addresses, and reads
 * what came; a new generation begins when it has read. */
enum { RANGES = 1024, ACCESSES = 8192, RECENT = 4096, SITES = 1024, LOG = 2048 };
struct watch {
    uint64_t generation, ranges, accesses, lost;
    /* Others may have written into windows since the process was told last what they hold: it asks before it accesses them (`look`). */
    uint64_t unlooked;
    /* The first call of another thread than the one whose calls came first, and the first one that was made while a call of another thread was
     * under way: 1 and the function's number, and where it returns to. */
    struct {
        uint64_t function, site;
    } foreign, overlapping;
    struct {
        uint64_t from, to;
    } range[RANGES];
    /* `count` accesses of one place in the program, `stride` bytes from one to the next. kind: it reads, writes, or frees. */
    struct access {
        uint64_t at, bytes, kind, site;
        int64_t stride, count;
    } access[ACCESSES];
    /* Of other threads than the one that calls (races.c): accesses that are no older than the last call, or of which that thread does not know that they are over; its
     * calls so far; and whether something orders threads that is not understood; and whether there were others. */
    uint64_t logged, calls, is_beyond, is_several;
    struct logged {
        uint64_t at, end, site;
        /* How many calls there had been. */
        uint64_t made;
        /* The thread, its own time, how many calls it knew to be over or under way, and whether the thread that calls knows that the access is over. */
        uint32_t thread, time, calls, is_known;
        uint64_t kind;
    } log[LOG];
};
enum { READS = 0, WRITES = 1, FREES = 2 };
/* Why accesses are lost. */
enum { TOO_MANY = 1, OTHER_THREAD = 2 };
static int is_told_of_accesses;

/* What is known of threads (threads.c): as many as have a place, and barriers of theirs. */
enum { THREADS = 64, GATES = 16, MEETINGS = 256, FUNCTIONS = 128 };
struct team;
/* How far each thread is known to be, by what orders threads in every execution; behind that the same by what has ordered them in this one (locks, atomic accesses); and
 * how many calls of MPI are known to have begun. */
enum { HERE = THREADS, CALLS = 2 * THREADS, TIMES };
struct thread {
    /* In this one also how far it is itself. */
    uint32_t knows[TIMES];
    /* Its own time at the last access that was noted, and the generation of that. */
    uint32_t noted;
    uint64_t generation;
    pthread_t id;
    int is_used, is_over, has_id;
    /* Its team of OpenMP, and how many barriers it has come to there. */
    struct team *team;
    unsigned round;
};
struct threads {
    struct thread all[THREADS];
    /* The thread that was last in a call, and its time then. */
    unsigned caller;
    uint32_t time;
    /* Whether there was an access of which it is not known that it is between two calls. */
    int is_loose;
    int held;
    struct gate {
        void *at;
        unsigned needs, came;
        uint32_t arrived[2][TIMES];
    } gates[GATES];
    /* What is known to whoever takes a lock, or reads what others write atomically, by a hash of the address. The last one is of all that is not told apart. */
    uint32_t met[MEETINGS + 1][TIMES];
    /* The functions before which those stand that order threads. */
    void *real[FUNCTIONS];
};

/* What is of this copy of the process alone, and nothing to the program: litmpi leaves it out where it compares the memory of two copies. */
static struct {
    /* Where the stack begins that the program can come back to, while the process waits in a call. */
    uint64_t stack;
    /* Other memory that is left out: what the kernel writes for itself, and the buffers of what is printed. */
    struct {
        uint64_t at, bytes;
    } kernel, printed[2];
    /* The line to litmpi, 0 before the first call. */
    uint64_t line;
    /* At MPI_Finalize: how many info objects, keys, error handlers and pieces of memory the program has made and not freed. */
    uint64_t left[4];
    uint64_t token;
    /* Time goes on by calls: two copies that do the same need not do it at the same time. */
    long calls;
    double slept;
    struct told told;
    struct watch watch;
    struct {
        uint64_t at, bytes, kind, generation;
        const void *thread;
    } recent[RECENT];
    /* Where in the table the last access of a place in the program stands: those of a loop become one. */
    uint64_t last[SITES];
    struct threads threads;
    /* The thread that called MPI first, the one that is in a call, and how many of its calls lie within each other. */
    pthread_t first, caller;
    int first_is_known, is_called, within;
    pid_t pid;
    uint64_t frames[STACK];
    char place[PLACE];
} own;

static void look_at_windows(const void *site);
static void hold(void);
static void let_go(void);
static int is_noted(void);
static void calls(void);
static void log_access(const void *place, size_t bytes, uint64_t kind, const void *site);
static void forget_log(uint64_t from, uint64_t to);
static const void *this_thread_is(void);

/* Whether an access goes on with a row of them, or is one of it. */
static int is_of(struct access *row, uint64_t at)
{
    int64_t from = at - row->at;
    if (row->count == 1)
        row->stride = from;
    if (row->stride && from == row->stride * row->count)
        row->count++;
    return from == 0 || (row->stride && from % row->stride == 0 && from / row->stride >= 0 && from / row->stride < row->count);
}

/* Whether litmpi wants to know about an access. */
static int is_watched(uint64_t at, size_t bytes)
{
    uint64_t low = 0, high = own.watch.ranges;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (own.watch.range[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < own.watch.ranges && own.watch.range[low].from < at + bytes;
}

static void note(const void *place, size_t bytes, uint64_t kind, const void *site)
{
    uint64_t at = (uint64_t)place;
    if (!is_watched(at, bytes))
        return;
    if (own.watch.unlooked && !own.within) {
        look_at_windows(site);
        if (!is_watched(at, bytes))
            return;
    }
    /* The same again of the same thread says nothing new. */
    const void *thread = this_thread_is();
    uint64_t slot = (at * 4 + kind) * 0x9e3779b97f4a7c15u >> 52;
    hold();
    if (!is_noted() || (own.recent[slot].at == at && own.recent[slot].bytes == bytes && own.recent[slot].kind == kind
        && own.recent[slot].generation == own.watch.generation && own.recent[slot].thread == thread)) {
        let_go();
        return;
    }
    own.recent[slot].at = at, own.recent[slot].bytes = bytes, own.recent[slot].kind = kind;
    own.recent[slot].generation = own.watch.generation, own.recent[slot].thread = thread;
    uint64_t *last = &own.last[((uint64_t)site + (uint64_t)thread * 31) * 0x9e3779b97f4a7c15u >> 54];
    struct access *row = &own.watch.access[*last];
    if (*last >= own.watch.accesses || row->site != (uint64_t)site || row->kind != kind || row->bytes != bytes || !is_of(row, at)) {
        if (own.watch.accesses == ACCESSES) {
            own.watch.lost = TOO_MANY;
        } else {
            *last = own.watch.accesses++;
            own.watch.access[*last] = (struct access){at, bytes, kind, (uint64_t)site, 0, 1};
        }
    }
    let_go();
}
void litmpi_access(const void *place, size_t bytes, int writes, const void *site)
{
    is_told_of_accesses = 1;
    if (own.watch.is_several)
        log_access(place, bytes, writes ? WRITES : READS, site);
    note(place, bytes, writes ? WRITES : READS, site);
}

/* Threads take turns; whoever is kept out lets the others go on. */
static void lock(int *held)
{
    while (__atomic_exchange_n(held, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void unlock(int *held) { __atomic_store_n(held, 0, __ATOMIC_RELEASE); }

#include "blocks.c"
#include "threads.c"
#include "races.c"

static void give_up(const char *why)
{
    dprintf(2, "litmpi's MPI library: %s\n", why);
    _exit(125);
}

static void give(const void *what, size_t left)
{
    for (const char *at = what; left;) {
        ssize_t n = send((int)own.line, at, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            give_up("litmpi is gone");
        at += n, left -= (size_t)n;
    }
}
static void say(const struct said *s) { give(s, sizeof *s); }

static void take(void *to, size_t left)
{
    for (char *at = to; left;) {
        ssize_t n = recv((int)own.line, at, left, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(125);
        at += n, left -= (size_t)n;
    }
}

static void hear(struct told *t)
{
    take(t, sizeof *t);
}

/* A reduction function of the program. One of C++ is called by what the library for C++ brings. */
typedef void combiner(void *, void *, int *, int *);
static void run_function(combiner *function, void *in, void *inout, int *items, int *datatype);

/* Runs a reduction function of the program on operands of so many bytes: in a copy, so that what the function counts or stores is seen by none that
 * runs later, and that one which ends its process ends the copy. */
static void combine(size_t bytes)
{
    struct {
        combiner *function;
        int items, datatype;
    } head;
    take(&head, sizeof head);
    char *in = malloc(bytes + 1), *inout = malloc(bytes + 1);
    if (!in || !inout)
        give_up("there is no memory for a reduction");
    take(in, bytes);
    take(inout, bytes);
    /* Its end is nothing that the program could hear of. */
    long copy = syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (copy < 0)
        give_up("there is no room for a copy that reduces");
    if (copy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        own.pid = (pid_t)syscall(SYS_getpid);
        struct said who = {.what = COMBINES, .value = {(uint64_t)own.pid}}, done = {.what = COMBINED};
        say(&who);
        /* One of MPI_Op_create_c is given how many as an MPI_Count, whose lower half is the `int` of the others. */
        union {
            long count;
            int items;
        } n = {head.items};
        run_function(head.function, in, inout, &n.items, &head.datatype);
        say(&done);
        give(inout, bytes);
        _exit(0);
    }
    int status = 0;
    while (waitpid((pid_t)copy, &status, __WALL) < 0 && errno == EINTR)
        ;
    struct said over = {.what = OVER, .value = {(uint64_t)(WIFSIGNALED(status) ? WTERMSIG(status) : 0), (uint64_t)WEXITSTATUS(status)}};
    say(&over);
    free(in);
    free(inout);
}

/* Where this process prints, if it is asked what it has printed: a copy goes on in a file of its own. */
static void print_to_own_file(uint64_t token)
{
    const char *begin = getenv("LITMPI_VERIFY_PRINTS");
    uint64_t before = own.token;
    own.token = token;
    if (!begin || !before)
        return;
    char from[4096], to[4096], part[4096];
    snprintf(from, sizeof from, "%s%llu", begin, (unsigned long long)before);
    snprintf(to, sizeof to, "%s%llu", begin, (unsigned long long)token);
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    struct stat file, printed;
    for (ssize_t n; in >= 0 && out >= 0 && (n = read(in, part, sizeof part)) > 0;)
        if (write(out, part, (size_t)n) != n)
            give_up("what it has printed cannot be copied");
    /* A program may have closed its standard output, or opened something else there. */
    if (in >= 0 && !fstat(in, &file) && !fstat(1, &printed) && file.st_ino == printed.st_ino)
        dup2(out, 1);
    close(in);
    close(out);
}

/* A copy reads on in its standard input by itself, where that is a file. */
static void read_by_itself(void)
{
    off_t at = getenv("LITMPI_VERIFY_INPUT") ? lseek(0, 0, SEEK_CUR) : -1;
    int file = at < 0 ? -1 : open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (lseek(file, at, SEEK_SET) == at)
        dup2(file, 0);
    close(file);
}

/* The line to litmpi, where a program that closes what it has not opened seldom comes. */
static void join(uint64_t token)
{
    const char *path = getenv("LITMPI_VERIFY_LINE");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!path || strlen(path) >= sizeof to.sun_path)
        give_up("it serves programs that `litmpi verify` starts");
    strcpy(to.sun_path, path);
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to))
        give_up("litmpi cannot be reached");
    int line = fcntl(s, F_DUPFD_CLOEXEC, 900);
    if (line < 0)
        line = s;
    else
        close(s);
    own.line = (uint64_t)line;
    own.pid = getpid();
    /* Nothing of a program stays behind litmpi. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    print_to_own_file(token);
    struct said hello = {.what = HELLO, .value = {token, (uint64_t)getpid(), (uint64_t)&own.watch, (uint64_t)&own, sizeof own, (uint64_t)is_told_of_accesses, (uint64_t)&blocks, sizeof blocks}};
    say(&hello);
}

/* litmpi is the parent of the copy, too: it is told how that ends. */
static __attribute__((noinline)) void duplicate(uint64_t token)
{
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        close((int)own.line);
        read_by_itself();
        join(token);
    } else {
        struct said done = {.what = DOUBLED, .value = {(uint64_t)(pid < 0 ? 0 : pid)}};
        say(&done);
    }
}

/* Clears the stack below. What was left there, by the library or by what the program has called, would lie where later calls have variables that
 * they do not set, and copies that do the same would differ in it. */
static __attribute__((noinline)) void wipe(void)
{
    char below[1 << 15];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

/* Says where what the program has begins and ends, for litmpi to compare it with what another copy has. */
static void mark(const void *stack)
{
    own.stack = (uint64_t)stack;
#ifdef __GLIBC__
    FILE *const files[] = {stdout, stderr};
    for (int i = 0; i < 2; i++) {
        own.printed[i].at = (uint64_t)files[i]->_IO_buf_base;
        own.printed[i].bytes = (uint64_t)(files[i]->_IO_buf_end - files[i]->_IO_buf_base);
    }
    /* The kernel notes for each thread on which processor it runs. */
    extern const ptrdiff_t __rseq_offset __attribute__((weak));
    extern const unsigned __rseq_size __attribute__((weak));
    if (&__rseq_offset && &__rseq_size) {
        own.kernel.at = (uint64_t)((char *)__builtin_thread_pointer() + __rseq_offset);
        own.kernel.bytes = 32;
    }
#endif
}

/* Says what is called, and waits for the answer. What is below the frame of this function belongs to nobody. */
static __attribute__((noinline)) long ask(const struct said *s)
{
    mark(__builtin_frame_address(0));
    say(s);
    for (;;) {
        hear(&own.told);
        if (own.told.what == ANSWER)
            return (long)own.told.value;
        if (own.told.what == QUIT)
            _exit(0);
        if (own.told.what == COMBINE)
            combine(own.told.value);
        else
            duplicate(own.told.value);
    }
}

static void listen_for_signals(void);
static __attribute__((noinline)) long called(uint32_t function, const uint64_t *value, unsigned n, const void *site)
{
    /* The program's registers are kept in the frame of this function, above that of `ask`. */
    __builtin_unwind_init();
    if (!own.line) {
        const char *token = getenv("LITMPI_VERIFY_TOKEN");
        join(token ? strtoull(token, NULL, 10) : 0);
        listen_for_signals();
    }
    struct said s = {.what = CALL, .function = function, .site = (uint64_t)site};
    memcpy(s.value, value, n * sizeof *value);
    memcpy(s.stack, own.frames, sizeof s.stack);
    memcpy(s.place, own.place, sizeof s.place);
    own.calls++;
    long result = ask(&s);
    /* No jump to `ask` in place of a call: it would take this frame away. */
    __asm__ volatile("" : : : "memory");
    return result;
}

/* A thread comes into a call. Calls of several threads are one after the other, or the later one goes no further: litmpi finds that noted. */
static void come_in(uint32_t function, const void *site)
{
    pthread_t self = pthread_self();
    if (own.within && pthread_equal(own.caller, self)) {
        own.within++;
        return;
    }
    if (!own.first_is_known)
        own.first = self, own.first_is_known = 1;
    if (!pthread_equal(own.first, self) && !own.watch.foreign.function)
        own.watch.foreign.function = function + (uint64_t)1, own.watch.foreign.site = (uint64_t)site;
    if (__atomic_exchange_n(&own.is_called, 1, __ATOMIC_ACQ_REL)) {
        own.watch.overlapping.site = (uint64_t)site;
        __atomic_store_n(&own.watch.overlapping.function, function + (uint64_t)1, __ATOMIC_RELEASE);
        for (;;)
            pause();
    }
    own.caller = self, own.within = 1;
    calls();
}
static void go_out(void)
{
    if (!--own.within)
        __atomic_store_n(&own.is_called, 0, __ATOMIC_RELEASE);
}

#include "places.c"
#include "frames.c"

/* A call is made on a stack that holds nothing, and leaves nothing there. */
static __attribute__((noinline)) long call(uint32_t function, const uint64_t *value, unsigned n, const void *site)
{
    site = called_from(site);
    come_in(function, site);
    note_frames(site);
    wipe();
    long result = called(function, value, n, site);
    wipe();
    go_out();
    return result;
}

/* Time goes on by a call at a time, and by as long as the process would sleep, so that it does the same whenever it is run, and nobody
 * waits. */
/* A program that has looked at the clock is not what it was before, whatever it remembers of that: it may be waiting until it is late. */
static long looks;
static double now(void) { return looks++, 1e-3 * (double)++own.calls + own.slept; }
double MPI_Wtime(void) { return now(); }
/* The clocks begin at one moment in the past. */
enum { BEGINNING = 1700000000 };
static struct timespec moment(void)
{
    double t = now();
    return (struct timespec){BEGINNING + (time_t)t, (long)((t - (double)(time_t)t) * 1e9)};
}
int clock_gettime(clockid_t clock, struct timespec *t) { return (void)clock, *t = moment(), 0; }
int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec m = moment();
    if (t)
        *t = (struct timeval){m.tv_sec, m.tv_nsec / 1000};
    return (void)zone, 0;
}
time_t time(time_t *t)
{
    time_t seconds = moment().tv_sec;
    if (t)
        *t = seconds;
    return seconds;
}
static int passes(double seconds) { return own.slept += seconds > 0 ? seconds : 0, sched_yield(); }
/* An alarm says that a program has waited for too long; here nobody has, however long the other ranks are looked at. */
unsigned alarm(unsigned seconds) { return (void)seconds, 0; }
int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old)
{
    if (old)
        memset(old, 0, sizeof *old);
    return (void)which, (void)value, 0;
}
/* A copy of the process is to have all of its memory, with what is in it. */
int madvise(void *at, size_t bytes, int advice)
{
    return advice == MADV_DONTFORK || advice == MADV_WIPEONFORK ? 0 : (int)syscall(SYS_madvise, at, bytes, advice);
}
unsigned sleep(unsigned seconds) { return (unsigned)passes(seconds); }
int usleep(useconds_t us) { return passes(1e-6 * us); }
int nanosleep(const struct timespec *t, struct timespec *left) { return (void)left, passes((double)t->tv_sec + 1e-9 * (double)t->tv_nsec); }
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
    struct timespec from = flags & TIMER_ABSTIME ? moment() : (struct timespec){0, 0};
    return (void)clock, (void)left, passes((double)(t->tv_sec - from.tv_sec) + 1e-9 * (double)(t->tv_nsec - from.tv_nsec));
}

/* An array of so many with room for one more: its room is a power of two. NULL if there is no memory, and it stays as it was. */
static void *grown(void *array, int n, size_t each)
{
    return n & (n - 1) ? array : realloc(array, (n ? 2 * (size_t)n : 1) * each);
}
double MPI_Wtick(void) { return 1e-3; }

/* Objects that the header of MPICH declares. */
static int unweighted, weights_empty;
int *const MPI_UNWEIGHTED = &unweighted;
int *const MPI_WEIGHTS_EMPTY = &weights_empty;
int *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
int MPIR_F08_MPI_STATUS_IGNORE_OBJ[5], MPIR_F08_MPI_STATUSES_IGNORE_OBJ[5], MPIR_F08_MPI_IN_PLACE, MPIR_F08_MPI_BOTTOM;
int *MPI_F08_STATUS_IGNORE = MPIR_F08_MPI_STATUS_IGNORE_OBJ, *MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
/* What MPICH's library for Fortran 2008 passes in place of weights. It has these variables too, and they are the ones that are set. */
int *MPIR_C_MPI_UNWEIGHTED, *MPIR_C_MPI_WEIGHTS_EMPTY;
static void __attribute__((constructor)) tell_weights(void)
{
    MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED;
    MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY;
}

/* A function that reads or writes here, in the process, what it is given an address of: an address of nothing is told, where the library would end the
 * process by using it. */
#define NEEDED(function, ...) \
    do { \
        const void *const all[] = {__VA_ARGS__}; \
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) \
            if ((uintptr_t)all[i] < LOWEST) \
                return (int)through_no_memory(__builtin_return_address(0), NUMBER_##function, (uint64_t)all[i]); \
    } while (0)
/* No process has memory below it. */
enum { LOWEST = 4096 };

static long raised(long result, int comm);
static long raised_at(long result, int win);
static long failed(uint32_t function, int comm, int class, const void *site);
static long inherits(long result, int comm, const int *made);
static long described(long result, int combiner, const uint64_t *a, int last);
/* How a datatype was made, in the numbers of MPICH. */
enum {
    COMBINER_NAMED = 1, COMBINER_DUP, COMBINER_CONTIGUOUS, COMBINER_VECTOR, COMBINER_HVECTOR = 6, COMBINER_INDEXED, COMBINER_HINDEXED = 9,
    COMBINER_INDEXED_BLOCK, COMBINER_STRUCT = 12, COMBINER_SUBARRAY, COMBINER_DARRAY, COMBINER_F90_REAL, COMBINER_F90_COMPLEX, COMBINER_F90_INTEGER,
    COMBINER_RESIZED, COMBINER_HINDEXED_BLOCK,
    /* Beside one of them: the constructor was called with an MPI_Count for each number. */
    LARGE = 64
};
/* Markers that MPI-3.0 has taken away. */
enum { LOWER_BOUND = 0x4c000010, UPPER_BOUND = 0x4c000011 };
enum { COMM_WORLD = 0x44000000, COMM_SELF = 0x44000001, COMM_NULL = 0x04000000 };
#include "functions.inc"

#include "memory.c"
#include "objects.c"
#include "datatypes.c"

/* Windows: the library brings memory for some, and keeps where each begins, because the rules know nothing of addresses. */
struct window {
    int handle;
    void *base;
    long attributes[8];
    /* Of a shared one: what each process has brought. */
    int processes;
    struct offer *parts;
    struct window *next;
};
static struct window *windows;
static struct window *window_of(int handle)
{
    struct window *w = windows;
    while (w && w->handle != handle)
        w = w->next;
    return w;
}

enum { HINTS = 6, HINT = 32 };
/* The hints of a window that have a meaning, what they are when nothing is said, and what one says to the rules, in their bits (MPI-4.1 12.2.1). */
static const struct {
    const char *key, *is;
    const char *value;
    uint32_t bit;
} hints[HINTS] = {
    {"accumulate_ordering", "rar,raw,war,waw", "none", 1}, {"accumulate_ops", "same_op_no_op", "same_op", 2},
    {"no_locks", "false", "true", 4}, {"same_size", "false", "true", 8}, {"same_disp_unit", "false", "true", 16}, {"alloc_shared_noncontig", "false", NULL, 0},
};
/* What info objects have said of windows, where they have said something. */
static struct hinted {
    int handle;
    char hint[HINTS][HINT];
    struct hinted *next;
} *hinted;
static struct hinted *hinted_of(int handle)
{
    struct hinted *h = hinted;
    while (h && h->handle != handle)
        h = h->next;
    return h;
}
static void hear_hints(int handle, int info)
{
    for (int i = 0; i < HINTS; i++) {
        struct pair *pair = pair_of(info_of(info), hints[i].key);
        if (!pair || strlen(pair->value) >= HINT)
            continue;
        struct hinted *h = hinted_of(handle);
        if (!h) {
            h = calloc(1, sizeof *h);
            if (!h)
                give_up("there is no memory for a window's hints");
            h->handle = handle, h->next = hinted, hinted = h;
        }
        strcpy(h->hint[i], pair->value);
    }
}
/* What an info object says of a window to the rules; one that says nothing is MPI_INFO_NULL. */
static uint32_t says(int info)
{
    uint32_t bits = 0;
    for (int i = 0; i < HINTS; i++) {
        struct pair *pair = pair_of(info_of(info), hints[i].key);
        if (pair && hints[i].value && !strcmp(pair->value, hints[i].value))
            bits |= hints[i].bit;
    }
    return bits ? bits : INFO_NULL;
}

static long keep(long result, const int *win, void *base, int info)
{
    struct window *w = calloc(1, sizeof *w);
    if (w)
        *w = (struct window){.handle = *win, .base = base, .next = windows}, windows = w;
    struct hinted *old = result ? NULL : hinted_of(*win);
    if (old)
        memset(old->hint, 0, sizeof old->hint);
    if (!result)
        hear_hints(*win, info);
    return result;
}

/* Hints that come later change nothing of what the rules ask of the program; the window has them, as it may (MPI-4.1 12.2.7). */
int MPI_Win_set_info(int win, int info)
{
    const void *site = __builtin_return_address(0);
    long err = there(win, site);
    if (!err)
        hear_hints(win, info);
    return (int)(err ? err : through_MPI_Win_set_info(site, (uint32_t)win, (uint32_t)info));
}
int MPI_Win_get_info(int win, int *info)
{
    NEEDED(MPI_Win_get_info, info);
    long err = there(win, __builtin_return_address(0));
    struct hinted *h = hinted_of(win);
    err = err ? err : new_info(info);
    for (int i = 0; i < HINTS && !err; i++)
        err = set_info(*info, hints[i].key, h && *h->hint[i] ? h->hint[i] : hints[i].is);
    return (int)err;
}

static long win_create(void *base, long size, long unit, int info, int comm, int *win, const void *site)
{
    uint64_t a[] = {(uint64_t)base, (uint64_t)size, (uint32_t)unit, says(info), (uint32_t)comm, (uint64_t)win};
    return keep(call(NUMBER_MPI_Win_create, a, 6, site), win, base, info);
}
int MPI_Win_create(void *base, long size, int unit, int info, int comm, int *win)
{
    NEEDED(MPI_Win_create, win);
    return (int)win_create(base, size, unit, info, comm, win, __builtin_return_address(0));
}
int MPI_Win_create_c(void *base, long size, long unit, int info, int comm, int *win)
{
    NEEDED(MPI_Win_create_c, win);
    return (int)win_create(base, size, unit, info, comm, win, __builtin_return_address(0));
}

/* The memory stays when the window is freed, so that whoever writes there then is told of it. */
static long win_allocate(long size, long unit, int info, int comm, void *baseptr, int *win, const void *site)
{
    void *base = calloc(1, size > 0 ? (size_t)size : 1);
    *(void **)baseptr = base;
    uint64_t a[] = {(uint64_t)size, (uint32_t)unit, says(info), (uint32_t)comm, (uint64_t)base, (uint64_t)win};
    return keep(call(NUMBER_MPI_Win_allocate, a, 6, site), win, base, info);
}
int MPI_Win_allocate(long size, int unit, int info, int comm, void *baseptr, int *win)
{
    NEEDED(MPI_Win_allocate, baseptr, win);
    return (int)win_allocate(size, unit, info, comm, baseptr, win, __builtin_return_address(0));
}
int MPI_Win_allocate_c(long size, long unit, int info, int comm, void *baseptr, int *win)
{
    NEEDED(MPI_Win_allocate_c, baseptr, win);
    return (int)win_allocate(size, unit, info, comm, baseptr, win, __builtin_return_address(0));
}

int MPI_Win_create_dynamic(int info, int comm, int *win)
{
    NEEDED(MPI_Win_create_dynamic, win);
    uint64_t a[] = {says(info), (uint32_t)comm, (uint64_t)win};
    return (int)keep(call(NUMBER_MPI_Win_create_dynamic, a, 3, __builtin_return_address(0)), win, NULL, info);
}

#include "shared.c"

/* Attributes of a window are pointers: to its memory, and to integers, which stand here. */
static long window_attr(int win, int key, void *value, int *flag, const void *site)
{
    enum { BASE = 0x66000001, SIZE = 0x66000003 };
    struct window *w = window_of(win);
    static long none[8];
    long *at = &(w ? w->attributes : none)[(key & 0xf) / 2];
    /* Whether the window is one is for the rules to say. */
    uint64_t a[] = {(uint32_t)win, (uint32_t)(key == BASE ? SIZE : key), (uint64_t)at, (uint64_t)flag};
    long result = call(NUMBER_MPI_Win_get_attr, a, 4, site);
    *(void **)value = key == BASE && w ? w->base : at;
    return result;
}

#include "promises.c"
#include "callbacks.c"
#include "generalised.c"
#include "languages.c"
#include "ends.c"
#include "tools.c"

/* The names of the profiling interface. */
#include "profiling.inc"
