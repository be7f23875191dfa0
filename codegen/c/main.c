/* The suite's main program: reads the schedule and runs its entries in order.
 *
 *   PROGRAM schedule=FILE             rank 0 reads the file: an entry a line
 *   PROGRAM test=NAME [KEY=VALUE …]   one entry
 *
 * Keys of an entry: test, id, block (ints a location), style (blocking, relaxed), iterations, millis, seed, start
 * (number of the first iteration), delay (chance), delay_max (microseconds), watchdog (seconds), stuck
 * (milliseconds), hangs, loop, leaves. Keys of the launch: placement=SEED permutes the ranks.
 *
 * An iteration may leave something behind that nothing can take away: a collective that not all ranks have called, a window
 * that is not freed. Its communicator and memory are then not used again, so such iterations use the library's resources up:
 * there are at most `leaves` of them in an entry, and a process ends after the entry in which they have become SPENT. It says
 * `litmpi fresh` if entries are left, which the runner then begins in a new launch.
 *
 * Ranks that a test does not use sleep meanwhile. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Far below what libraries have room for: MPICH has 2048 contexts, of which a window takes one more. */
#define SPENT 128

int (*litmpi_verdict)(void);
static int world_rank, world_size;
static uint64_t placement;

/* The communicators of the tests with this many ranks. */
static struct group {
    int made, member, broken;
    MPI_Comm control, comm;
} groups[LITMPI_RANKS + 1];

int litmpi_parse_own(struct litmpi_entry *e, const char *key, const char *value)
{
    if (strcmp(key, "block") == 0)
        e->block = atoi(value);
    else if (strcmp(key, "leaves") == 0)
        e->leaves = atol(value);
    else if (strcmp(key, "style") == 0)
        e->relaxed = strcmp(value, "relaxed") == 0;
    else if (strcmp(key, "placement") == 0)
        placement = strtoull(value, NULL, 10);
    else
        return 0;
    return 1;
}

/* Parses an entry; 0 for an empty line. */
static int parse(char *line, struct litmpi_entry *e)
{
    int is_some = litmpi_parse(line, e, world_rank == 0);
    if (e->block == 0)
        e->block = 2;
    if (e->leaves == 0)
        e->leaves = 16;
    return is_some;
}

/* Rank 0's text, on every rank. */
static char *share(char *text)
{
    int length = text ? (int)strlen(text) + 1 : 0;
    PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (world_rank != 0)
        text = malloc((size_t)length + 1);
    if (!text || length == 0)
        return NULL;
    PMPI_Bcast(text, length, MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
}

static char *schedule(int argc, char **argv)
{
    char *text = NULL;
    if (world_rank == 0) {
        text = calloc(1, 1 << 16);
        for (int i = 1; i < argc && text; i++) {
            if (strncmp(argv[i], "schedule=", 9) == 0) {
                free(text);
                text = litmpi_read_file(argv[i] + 9);
                break;
            }
            if (strlen(text) + strlen(argv[i]) + 2 < 1 << 16)
                strcat(strcat(text, argv[i]), " ");
        }
    }
    return share(text);
}

/* All ranks meet; those that have nothing to do sleep until then. The most that any has left behind. */
static int gate(int idle)
{
    MPI_Request request;
    int flag = 0, most = 0;
    PMPI_Iallreduce(&litmpi_renewals, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    for (long polls = 0;;) {
        PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            return most;
        litmpi_pause(&polls);
        if (idle && polls > 100) {
            struct timespec t = {0, 300000};
            nanosleep(&t, NULL);
        }
    }
}

/* The group of the first `ranks` ranks, in the launch's order. A test is told its ranks and their number by its communicator alone, so one that needs
 * fewer than the launch has gets a communicator of that many, and the harness another one beside it, whose messages the test cannot see. No two
 * keys are equal and all ranks call it, so that nothing rests on how the library orders equals. Like all calls of the harness it goes by PMPI, past
 * profilers and past mistakes that are planted in MPI_Comm_split for tests to find. */
static struct group *group_of(int ranks)
{
    struct group *g = &groups[ranks];
    if (g->made)
        return g;
    int order[4096], place = 0, size = world_size < 4096 ? world_size : 4096;
    for (int i = 0; i < size; i++)
        order[i] = i;
    for (int i = size - 1; i > 0 && placement; i--) {
        int j = (int)(litmpi_mix(placement + (uint64_t)i) % (uint64_t)(i + 1));
        int t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    while (place < size && order[place] != world_rank)
        place++;
    g->made = 1;
    g->member = place < ranks;
    PMPI_Comm_split(MPI_COMM_WORLD, g->member ? 0 : MPI_UNDEFINED, place, &g->control);
    if (g->member) {
        PMPI_Comm_dup(g->control, &g->comm);
        PMPI_Comm_set_errhandler(g->control, MPI_ERRORS_RETURN);
        PMPI_Comm_set_errhandler(g->comm, litmpi_errors);
    }
    return g;
}

static void run(struct group *g)
{
    double begun = litmpi_now();
    litmpi_control = g->control;
    litmpi_comm = g->comm;
    PMPI_Comm_rank(litmpi_control, &litmpi_me);
    PMPI_Comm_size(litmpi_control, &litmpi_size);
    if (litmpi_me == 0)
        litmpi_say("litmpi begin %d %s", litmpi_entry.id, litmpi_entry.test);
    long iterations = litmpi_run(&g->broken);
    g->comm = litmpi_comm;
    if (litmpi_me == 0) {
        litmpi_outcomes_print(iterations);
        litmpi_say("litmpi end %d %ld %.0f", litmpi_entry.id, iterations, litmpi_now() - begun);
    }
}

/* A buffer for MPI_Bsend that holds 32 messages of the largest test. */
static void attach(char *text)
{
    size_t most = 0;
    struct litmpi_entry e;
    char *copy = malloc(strlen(text) + 1), *rest;
    if (!copy)
        return;
    for (char *line = strtok_r(strcpy(copy, text), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const struct litmpi_test *test = parse(line, &e) ? litmpi_find(e.test) : NULL;
        for (int r = 0; test && r < test->ranks; r++) {
            size_t bytes = sizeof(int) * (size_t)e.block * (size_t)test->rank[r].blocks;
            most = bytes > most ? bytes : most;
        }
    }
    free(copy);
    most = 32 * (most + MPI_BSEND_OVERHEAD);
    most = most < 1u << 30 ? most : 1u << 30;
    litmpi_buffer_begin(most);
}

static int last_code;

static void leave_now(int signal)
{
    (void)signal;
    _exit(last_code);
}

/* Leaves with this code in two seconds, whatever is under way. */
static void leave_by(int code)
{
    struct sigaction action = {0};
    last_code = code;
    action.sa_handler = leave_now;
    sigaction(SIGALRM, &action, NULL);
    alarm(2);
}

/* A rank does not outlive its launcher. */
void litmpi_follow_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* An error of a call of the test, for tests that do not look at codes. The harness looks at its own. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    if (litmpi_in_body)
        litmpi_ok(*code);
}

int litmpi_main(int argc, char **argv)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, initialized, broken = 0;
    litmpi_follow_parent();
    PMPI_Initialized(&initialized);
    if (!initialized)
        PMPI_Init(&argc, &argv);
    PMPI_Comm_create_errhandler(litmpi_unchecked ? on_error : litmpi_stay, &litmpi_errors);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, litmpi_errors);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, litmpi_errors);
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = 0;
    if (world_rank == 0)
        litmpi_say("litmpi library %s", library);
    char *text = schedule(argc, argv);
    if (!text) {
        if (world_rank == 0)
            litmpi_say("litmpi problem: no schedule");
        if (!initialized)
            PMPI_Finalize();
        return 2;
    }
    litmpi_watch();
    attach(text);
    int idle = 0, fresh = 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!parse(line, &litmpi_entry))
            continue;
        litmpi_current = litmpi_find(litmpi_entry.test);
        if (!litmpi_current || litmpi_current->ranks > world_size) {
            if (world_rank == 0)
                litmpi_say("litmpi problem: %s %s", litmpi_entry.test,
                           litmpi_current ? "needs more ranks" : "is not in this program");
            continue;
        }
        if (gate(idle) >= SPENT) {
            fresh = 1;
            break;
        }
        struct group *g = group_of(litmpi_current->ranks);
        idle = !g->member;
        if (g->member)
            run(g);
        broken |= g->broken;
    }
    gate(idle);
    if (world_rank == 0)
        litmpi_say(fresh ? "litmpi fresh" : "litmpi done");
    PMPI_Allreduce(MPI_IN_PLACE, &broken, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    int code = litmpi_verdict ? litmpi_verdict() : 0;
    if (broken && !litmpi_verdict) /* MPI_Finalize may wait for the collectives that were left */
        _exit(0);
    if (broken) /* but a launcher may take it for a failure if there is none */
        leave_by(code);
    if (!initialized) /* else who began ends */
        PMPI_Finalize();
    return code;
}

#ifndef LITMPI_LIBRARY
int main(int argc, char **argv)
{
    return litmpi_main(argc, argv);
}
#endif
