/* The histogram of a test's outcomes, kept by its rank 0, and the lines that the runner reads:
 *
 *   litmpi library TEXT
 *   litmpi begin ENTRY TEST
 *   litmpi outcome ENTRY COUNT FIRST-ITERATION values V… | deadlock | cut | error CLASS |
 *     corrupt WHAT
 *   litmpi sofar ENTRY ITERATIONS
 *   litmpi end ENTRY ITERATIONS MILLISECONDS
 *   litmpi done | fresh
 *
 * An outcome's count replaces the one said before. New outcomes are said at once and all counts now and then, so
 * that a later hang loses little. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The key of a corruption is its kind, its rank and its block: where in the block may differ, and is said of the first. */
struct outcome {
    int key[4 + 2 * LITMPI_OBSERVED];
    long count, first;
    struct litmpi_corruption corruption;
};

static struct outcome *outcomes;
static int known, room, key_length;
static double printed;

const char *litmpi_class_name(int class)
{
    static const struct {
        int class;
        const char *name;
    } names[] = {
        {MPI_ERR_BUFFER, "MPI_ERR_BUFFER"},       {MPI_ERR_COUNT, "MPI_ERR_COUNT"},
        {MPI_ERR_TYPE, "MPI_ERR_TYPE"},           {MPI_ERR_TAG, "MPI_ERR_TAG"},
        {MPI_ERR_COMM, "MPI_ERR_COMM"},           {MPI_ERR_RANK, "MPI_ERR_RANK"},
        {MPI_ERR_REQUEST, "MPI_ERR_REQUEST"},     {MPI_ERR_ROOT, "MPI_ERR_ROOT"},
        {MPI_ERR_GROUP, "MPI_ERR_GROUP"},         {MPI_ERR_OP, "MPI_ERR_OP"},
        {MPI_ERR_TOPOLOGY, "MPI_ERR_TOPOLOGY"},   {MPI_ERR_DIMS, "MPI_ERR_DIMS"},
        {MPI_ERR_ARG, "MPI_ERR_ARG"},             {MPI_ERR_UNKNOWN, "MPI_ERR_UNKNOWN"},
        {MPI_ERR_TRUNCATE, "MPI_ERR_TRUNCATE"},   {MPI_ERR_OTHER, "MPI_ERR_OTHER"},
        {MPI_ERR_INTERN, "MPI_ERR_INTERN"},       {MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS"},
        {MPI_ERR_PENDING, "MPI_ERR_PENDING"},     {MPI_ERR_NO_MEM, "MPI_ERR_NO_MEM"},
        {MPI_ERR_WIN, "MPI_ERR_WIN"},             {MPI_ERR_RMA_SYNC, "MPI_ERR_RMA_SYNC"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].class == class)
            return names[i].name;
    return "MPI_ERR_LASTCODE";
}

void litmpi_outcomes_begin(void)
{
    known = 0;
    printed = litmpi_now();
}

static void print(const struct outcome *outcome)
{
    char text[2048] = "values";
    int length = 6;
    if (outcome->key[0] == LITMPI_END_STUCK)
        strcpy(text, "deadlock");
    else if (outcome->key[0] == LITMPI_END_CUT)
        strcpy(text, "cut");
    else if (outcome->key[0] == LITMPI_END_CORRUPT) {
        strcpy(text, "corrupt ");
        litmpi_corruption_show(&outcome->corruption, outcome->key[2], text + 8, sizeof text - 8);
    } else if (outcome->key[0] == LITMPI_END_ERROR)
        snprintf(text, sizeof text, "error %s", litmpi_class_name(outcome->key[1]));
    else
        for (int i = 2; i < key_length - 2 && length < (int)sizeof text - 16; i += 2)
            length += outcome->key[i] == LITMPI_TORN ? sprintf(text + length, " torn")
                                                     : sprintf(text + length, " %d", outcome->key[i + 1]);
    litmpi_say("litmpi outcome %d %ld %ld %s", litmpi_entry.id, outcome->count, outcome->first, text);
}

void litmpi_outcomes_print(long iterations)
{
    for (int i = 0; i < known; i++)
        print(&outcomes[i]);
    litmpi_say("litmpi sofar %d %ld", litmpi_entry.id, iterations);
    printed = litmpi_now();
}

int litmpi_outcomes_add(const struct litmpi_record *all, long iteration)
{
    const struct litmpi_test *test = litmpi_current;
    struct outcome new = {.count = 1, .first = iteration};
    int is_stuck = 0;
    key_length = 4 + 2 * test->observed;
    for (int r = 0; r < test->ranks; r++) {
        is_stuck |= all[r].end == LITMPI_END_STUCK;
        if (all[r].end > new.key[0]) {
            new.key[0] = all[r].end; /* an error explains a cut, which explains a deadlock */
            new.key[1] = all[r].error;
        }
    }
    for (int r = 0; r < test->ranks && new.key[0] != LITMPI_END_CORRUPT; r++)
        if (all[r].corruption.kind != LITMPI_SOUND) {
            new.key[0] = LITMPI_END_CORRUPT;
            new.key[1] = all[r].corruption.kind;
            new.key[2] = r;
            new.key[3] = all[r].corruption.block;
            new.corruption = all[r].corruption;
        }
    if (new.key[0] == LITMPI_END_VALUES)
        for (int i = 0; i < test->observed; i++) {
            int rank = test->observable[i].rank;
            new.key[2 + 2 * i] = all[rank].kind[i];
            new.key[3 + 2 * i] = all[rank].kind[i] == LITMPI_TORN ? 0 : all[rank].value[i];
        }
    int at = 0;
    while (at < known && memcmp(outcomes[at].key, new.key, sizeof(int) * (size_t)key_length) != 0)
        at++;
    if (at < known) {
        outcomes[at].count++;
    } else {
        if (known == room) {
            room = room ? 2 * room : 64;
            outcomes = realloc(outcomes, sizeof *outcomes * (size_t)room);
            if (!outcomes)
                abort();
        }
        outcomes[known++] = new;
        print(&new);
    }
    if (litmpi_now() - printed > 250)
        litmpi_outcomes_print(iteration + 1 - litmpi_entry.start);
    /* Also beside an error, what was given up is still under way, and would be met by the next iteration. */
    return is_stuck;
}
