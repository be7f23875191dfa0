/* The suite's main program: forks a process for each node, reads the schedule and runs its entries in order.
 *
 *   PROGRAM nodes=N schedule=FILE [as=threads] [device=NAME[,NAME…]] [gid=INDEX] [pause=POLLS]
 *   PROGRAM nodes=N test=NAME [KEY=VALUE …]                            one entry
 *
 * Keys of an entry: test, id, iterations, millis, seed, start (number of the first iteration), delay (chance),
 * delay_max (microseconds), watchdog (seconds), stuck (milliseconds), hangs, loop, inline (0 or 1), no_rnr_retry (0 or 1), stress, score (FIRST:COUNT, of
 * the device's scores: iterations follow them in turn). Without
 * `device`, nodes use the first device; with one name for each node, their own. `gid` is the index of the port's
 * address on Ethernet. `pause`: who waits sleeps for a microsecond after so many polls, so that a device that is
 * software and has no processor of its own can work. With `as=threads` nodes are threads of one process, each with a context,
 * memory and queue pairs of its own.
 *
 * All nodes of a launch are processes of one machine, or of several that share memory: then LITMPI_SHARED names the file
 * of that memory, and the program runs on each of LITMPI_GUESTS machines with its number in LITMPI_GUEST; a node is on
 * the machine of its number, and the last one has the rest. */
#define _GNU_SOURCE
#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct litmpi_shared *litmpi_shared;
int litmpi_nodes = 2;
_Thread_local int litmpi_me;
_Thread_local struct litmpi_entry litmpi_entry;
_Thread_local const struct litmpi_test *litmpi_current;
static int pause_after;

/* What every node is told. */
static struct {
    const char *devices, *text;
    int gid_index;
} told = {"", "", 1};

struct litmpi_home litmpi_home(void)
{
    return (struct litmpi_home){litmpi_me, litmpi_poll_style, &litmpi_entry, litmpi_current, litmpi_memory};
}

void litmpi_enter(const struct litmpi_home *home)
{
    litmpi_me = home->me;
    litmpi_poll_style = home->poll_style;
    litmpi_entry = *home->entry;
    litmpi_current = home->current;
    litmpi_memory = home->memory;
}

int litmpi_parse_own(struct litmpi_entry *e, const char *key, const char *value)
{
#define KEY(name) (strcmp(key, #name) == 0)
    if (KEY(stress))
        snprintf(e->stress, sizeof e->stress, "%s", value);
    else if (KEY(score))
        return sscanf(value, "%ld:%ld", &e->score, &e->scores) == 2;
    else if (KEY(inline))
        e->use_inline = atoi(value);
    else if (KEY(no_rnr_retry))
        e->no_rnr_retry = atoi(value);
    else
        return KEY(block) || KEY(style) || KEY(placement); /* those are of other families */
#undef KEY
    return 1;
}

void litmpi_relax(long *polls)
{
    struct timespec moment = {0, 1000};
    ++*polls;
    if (pause_after > 0 && *polls % pause_after == 0)
        nanosleep(&moment, NULL);
    else if (*polls > 40)
        sched_yield();
    else
        __builtin_ia32_pause();
}

void litmpi_meet(struct litmpi_meeting *m, int parties, int idle)
{
    int generation = atomic_load(&m->generation);
    if (atomic_fetch_add(&m->arrived, 1) + 1 == parties) {
        atomic_store(&m->arrived, 0);
        atomic_store(&m->generation, generation + 1);
        return;
    }
    for (long polls = 0; atomic_load(&m->generation) == generation;) {
        litmpi_relax(&polls);
        if (idle && polls > 200) {
            /* Soon rarely: waking up is not free for those who work. */
            struct timespec t = {0, polls < 500 ? 200000 : 5000000};
            nanosleep(&t, NULL);
        }
    }
}

/* Says on stderr what happened where. */
void litmpi_note(const char *what, const char *detail)
{
    char line[1200];
    int length = snprintf(line, sizeof line, "\nlitmpi! %d rank %d iteration %ld %s %s:%d %.600s\n", litmpi_entry.id,
                          litmpi_me, atomic_load(&litmpi_iteration), what, litmpi_current ? litmpi_current->file : "start",
                          litmpi_line, detail);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

void litmpi_fail(const char *what, const char *detail)
{
    litmpi_note(what, detail);
    _exit(97);
}

static void on_alarm(int signal)
{
    (void)signal;
    char detail[64];
    snprintf(detail, sizeof detail, "no progress for %d s", litmpi_entry.watchdog);
    litmpi_fail("hang", detail);
}

/* The most threads that one node has in any test. */
static int most_threads(void)
{
    int most = 1;
    for (int i = 0; i < litmpi_test_count; i++)
        for (int n = 0; n < litmpi_tests[i]->nodes; n++) {
            int here = 0;
            for (int t = 0; t < litmpi_tests[i]->threads; t++)
                here += litmpi_tests[i]->thread[t].node == n;
            most = here > most ? here : most;
        }
    return most;
}

static void run(char *text)
{
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!litmpi_parse(line, &litmpi_entry, litmpi_me == 0))
            continue;
        litmpi_current = litmpi_find(litmpi_entry.test);
        if (!litmpi_current || litmpi_current->nodes > litmpi_nodes) {
            if (litmpi_me == 0)
                litmpi_say("litmpi problem: %s %s", litmpi_entry.test,
                           litmpi_current ? "needs more nodes" : "is not in this program");
            continue;
        }
        litmpi_run_entry();
    }
}

/* One node. */
static void node(int me)
{
    char names[256], *name = NULL, *rest, *text = strdup(told.text);
    litmpi_me = me;
    snprintf(names, sizeof names, "%s", told.devices);
    char *next = strtok_r(names, ",", &rest);
    for (int i = 0; next && i <= litmpi_me; i++, next = strtok_r(NULL, ",", &rest))
        name = next; /* the last one serves all further nodes */
    struct sigaction action = {0};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    litmpi_queues_open(name, told.gid_index, most_threads() + (strstr(text, "traffic:") ? LITMPI_BACKGROUND : 0));
    if (litmpi_me == 0)
        litmpi_say("litmpi library %s", litmpi_library());
    run(text);
    litmpi_current = NULL;
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, 1);
    if (litmpi_me == 0)
        litmpi_say("litmpi done");
    free(text);
}

static void *node_thread(void *me)
{
    node((int)(intptr_t)me);
    return NULL;
}

/* All nodes as threads, the first as this one, which signals come to; a node that fails ends the process, so that nobody waits. */
static int node_threads(void)
{
    pthread_t nodes[LITMPI_NODES];
    for (int i = 1; i < litmpi_nodes; i++)
        if (pthread_create(&nodes[i], NULL, node_thread, (void *)(intptr_t)i) != 0)
            litmpi_fail("thread", "no thread can be made");
    node(0);
    for (int i = 1; i < litmpi_nodes; i++)
        pthread_join(nodes[i], NULL);
    return 0;
}

/* Ends the others when one node dies, so that nothing is left and nobody waits. */
static int wait_for_nodes(pid_t *nodes)
{
    int failed = 0, status;
    for (pid_t ended; (ended = wait(&status)) > 0;) {
        int bad = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        for (int i = 0; i < litmpi_nodes; i++) {
            if (nodes[i] == ended)
                nodes[i] = 0;
            else if (bad && !failed && nodes[i])
                kill(nodes[i], SIGKILL);
        }
        if (bad && !failed)
            failed = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return failed;
}

/* The memory that all nodes see, on this machine or on all. */
static void *shared_memory(void)
{
    const char *path = getenv("LITMPI_SHARED");
    int file = -1, flags = MAP_SHARED | MAP_ANONYMOUS;
    if (path && *path) {
        flags = MAP_SHARED;
        file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (file < 0)
            return MAP_FAILED;
    }
    return mmap(NULL, sizeof *litmpi_shared, PROT_READ | PROT_WRITE, flags, file, 0);
}

static int machines(void)
{
    const char *guests = getenv("LITMPI_GUESTS");
    return guests ? atoi(guests) : 1;
}

/* Whether a node is of this machine. */
static int is_here(int node)
{
    const char *guest = getenv("LITMPI_GUEST");
    int all = machines(), mine = guest ? atoi(guest) : 0;
    return all < 2 || mine == (node < all ? node : all - 1);
}

/* A program in another language has a main of its own. */
#ifdef LITMPI_LIBRARY
int litmpi_main(int argc, char **argv);
#define main litmpi_main
#endif

int main(int argc, char **argv)
{
    char *text = NULL, words[1 << 14] = "";
    int as_threads = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "nodes=", 6) == 0)
            litmpi_nodes = atoi(argv[i] + 6);
        else if (strncmp(argv[i], "device=", 7) == 0)
            told.devices = argv[i] + 7;
        else if (strncmp(argv[i], "gid=", 4) == 0)
            told.gid_index = atoi(argv[i] + 4);
        else if (strcmp(argv[i], "as=threads") == 0)
            /* Else the emulated NIC takes the contexts of one process for one device, and one node. */
            as_threads = 1, setenv("LITMPI_NIC_NODES", "contexts", 1);
        else if (strncmp(argv[i], "pause=", 6) == 0)
            pause_after = atoi(argv[i] + 6);
        else if (strncmp(argv[i], "schedule=", 9) == 0)
            text = litmpi_read_file(argv[i] + 9);
        else if (strlen(words) + strlen(argv[i]) + 2 < sizeof words)
            strcat(strcat(words, argv[i]), " ");
    }
    if (!text)
        text = words;
    if (!*text || litmpi_nodes < 1 || litmpi_nodes > LITMPI_NODES) {
        litmpi_say("litmpi problem: no schedule, or not 1 to %d nodes", LITMPI_NODES);
        return 2;
    }
    if (as_threads && machines() > 1) {
        litmpi_say("litmpi problem: nodes on several machines cannot be threads of one process");
        return 2;
    }
    told.text = text;
    litmpi_shared = shared_memory();
    if (litmpi_shared == MAP_FAILED) {
        litmpi_say("litmpi problem: no memory to share");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (pause_after > 0)
        prctl(PR_SET_TIMERSLACK, 1); /* inherited */
    if (as_threads)
        return node_threads();
    pid_t nodes[LITMPI_NODES] = {0};
    for (int i = 0; i < litmpi_nodes; i++) {
        if (!is_here(i))
            continue;
        nodes[i] = fork();
        if (nodes[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            node(i);
            exit(0);
        }
    }
    return wait_for_nodes(nodes);
}
