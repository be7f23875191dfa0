/* A test as a program of its own, which says in TAP what came of it: it takes no arguments, and needs none of litmpi.
 *
 * Environment: LITMPI_SIZES (bytes a value, "8,65536,4194304"), LITMPI_MILLIS (for each size, 200), LITMPI_SEED (1),
 * LITMPI_STYLE (blocking, relaxed; relaxed for tests that may deadlock or have more ranks than there are processors, else
 * blocking), LITMPI_QUIET (says nothing but " No Errors" if all is well: MPICH's runtests takes any other line for an error). */
#define _XOPEN_SOURCE 700
#include "harness.h"
#include "standalone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZES 16
#define WRONG 8

static const struct litmpi_standalone *test;
static long sizes[SIZES];
static int count, failed;
/* Where TAP goes: to what is kept, as long as it is to be quiet and all is well. */
static FILE *tap;
static char *kept;
static size_t kept_bytes;
/* Of the size under way. */
static int wrong, seen[1024], cut;
static char told[WRONG][256];

/* Whether an outcome is an allowed one, in which `*` stands for any word. */
static int shows(const char *outcome, const char *may)
{
    while (*may == '*' || (*may && *may == *outcome)) {
        if (*may == '*') {
            size_t length = strcspn(outcome, " ");
            if (!length)
                return 0;
            outcome += length;
        } else {
            outcome++;
        }
        may++;
    }
    return !*may && !*outcome;
}

static int allowed(const char *outcome)
{
    for (int i = 0; test->allowed[i].outcome; i++)
        if (shows(outcome, test->allowed[i].outcome))
            return i;
    return -1;
}

static void outcome(const char *text)
{
    int at = allowed(text);
    if (at >= 0) {
        if (at < 1024)
            seen[at] = 1;
    } else if (strcmp(text, "cut") == 0) {
        cut = 1;
    } else {
        for (int i = 0; i < wrong && i < WRONG; i++)
            if (strcmp(told[i], text) == 0)
                return;
        if (wrong < WRONG)
            snprintf(told[wrong], sizeof told[wrong], "%.255s", text);
        wrong++;
    }
}

/* Something is wrong: what was kept is said after all. */
static void speak(void)
{
    failed = 1;
    if (tap == stdout)
        return;
    fclose(tap);
    fwrite(kept, 1, kept_bytes, stdout);
    tap = stdout;
    litmpi_hush = 0;
}

static void finish(int id, long iterations)
{
    int all = 0, here = 0;
    for (int i = 0; test->allowed[i].outcome; i++) {
        all++;
        here += i < 1024 && seen[i];
    }
    const char *more = wrong || here ? "" : cut ? " # SKIP every iteration passed a loop's bound" : ": no iteration ended";
    int bad = wrong || (!here && !cut);
    if (bad)
        speak();
    fprintf(tap, "%sok %d - %s, %ld bytes: %d of %d allowed outcomes in %ld iterations%s\n", bad ? "not " : "", id + 1, test->name,
           sizes[id], here, all, iterations, more);
    for (int i = 0; i < wrong && i < WRONG; i++)
        fprintf(tap, "# not allowed: %s\n", told[i]);
    for (int i = 0; wrong && test->allowed[i].outcome; i++)
        fprintf(tap, "# allowed: %s (%s)\n", test->allowed[i].outcome, test->allowed[i].shown);
    wrong = cut = 0;
    memset(seen, 0, sizeof seen);
}

/* What is to be said if the test hangs at this size. Where deadlock is allowed that is what came of it, even in a call that
 * cannot be given up. */
static void prepare(int id)
{
    static char text[2][4096]; /* one of them may be on its way out */
    static int turn;
    char *hang = text[turn++ % 2];
    size_t length = 0, room = sizeof text[0];
    if (!test->may_deadlock)
        length += (size_t)snprintf(hang, room, "not ok %d - %s: it hangs, or takes longer than the watchdog lets it\n", id + 1,
                                   test->name);
    else if (litmpi_hush && !failed && !wrong) {
        snprintf(hang, room, " No Errors\n");
        litmpi_hang_code = 0;
    } else {
        length += (size_t)snprintf(hang, room, "%sok %d - %s, %ld bytes: deadlock, which is allowed\n", wrong ? "not " : "", id + 1,
                                   test->name, sizes[id]);
        for (int i = id + 1; i < count && length < room; i++)
            length += (size_t)snprintf(hang + length, room - length, "ok %d - %s # SKIP after a deadlock\n", i + 1, test->name);
        if (!failed && !wrong && length < room)
            snprintf(hang + length, room - length, " No Errors\n");
        litmpi_hang_code = failed || wrong;
    }
    litmpi_hang = hang;
}

/* What the harness says, on rank 0. */
static void listen(const char *line)
{
    int id, at = 0;
    long n, first;
    if (sscanf(line, "litmpi outcome %d %ld %ld %n", &id, &n, &first, &at) >= 3 && at) {
        outcome(line + at);
        prepare(id);
    } else if (sscanf(line, "litmpi end %d %ld", &id, &n) == 2) {
        finish(id, n);
        prepare(id + 1);
    } else if (strncmp(line, "litmpi library ", 15) == 0) {
        fprintf(tap, "TAP version 13\n1..%d\n", count);
        for (int i = 0; test->about[i]; i++)
            fprintf(tap, "# %s\n", test->about[i]);
        fprintf(tap, "# %s\n", line + 15);
    } else if (strncmp(line, "litmpi problem", 14) == 0) {
        speak();
        printf("Bail out! %s\n", line + 16);
    } else if (strcmp(line, "litmpi done") == 0 && !failed)
        printf(" No Errors\n"); /* for MPICH's runtests */
    fflush(stdout);
}

static int verdict(void)
{
    return failed;
}

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

/* As `litmpi run` has it by itself: relaxed where a call may have to be given up, or where ranks share processors. */
static const char *usual_style(const struct litmpi_standalone *of)
{
    return of->may_deadlock || litmpi_tests[0]->ranks > sysconf(_SC_NPROCESSORS_ONLN) ? "relaxed" : "blocking";
}

int litmpi_tap(int argc, char **argv, const struct litmpi_standalone *of)
{
    static char schedule[1 << 14];
    char *arguments[] = {argc > 0 ? argv[0] : "", schedule, NULL}, list[256], *rest;
    const char *style = setting("LITMPI_STYLE", usual_style(of));
    long millis = atol(setting("LITMPI_MILLIS", "200"));
    size_t length = 0;
    test = of;
    litmpi_hush = *setting("LITMPI_QUIET", "") != 0;
    tap = litmpi_hush ? open_memstream(&kept, &kept_bytes) : stdout;
    if (!tap)
        tap = stdout;
    snprintf(list, sizeof list, "%s", setting("LITMPI_SIZES", "8,65536,4194304"));
    for (char *word = strtok_r(list, ",", &rest); word && count < SIZES; word = strtok_r(NULL, ",", &rest)) {
        long bytes = atol(word) < 4 ? 4 : atol(word);
        sizes[count] = bytes;
        /* Where deadlock is allowed it is to be found soon; where it is not, slowness must not look like one. */
        length += (size_t)snprintf(schedule + length, sizeof schedule - length,
                                   "id=%d test=%s block=%ld style=%s iterations=1000000 millis=%ld seed=%s delay=0.3 delay_max=50 "
                                   "watchdog=%ld stuck=%ld hangs=%d loop=100000\n",
                                   count, of->name, bytes / 4, style, millis, setting("LITMPI_SEED", "1"), (of->may_deadlock ? 8 : 30) + (bytes >> 22),
                                   (of->may_deadlock ? 50 : 10000) + bytes / 50000, of->may_deadlock ? 3 : 1);
        count++;
    }
    litmpi_listener = listen;
    litmpi_verdict = verdict;
    prepare(0);
    return litmpi_main(2, arguments);
}
