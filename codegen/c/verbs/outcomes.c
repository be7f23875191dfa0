/* The histogram of a test's outcomes, kept by its first thread, and the lines that the runner reads:
 *
 *   litmpi library TEXT
 *   litmpi begin ENTRY TEST
 *   litmpi outcome ENTRY COUNT FIRST-ITERATION values V… | deadlock | cut | corrupt WHAT
 *   litmpi sofar ENTRY ITERATIONS
 *   litmpi end ENTRY ITERATIONS MILLISECONDS
 *   litmpi done
 *
 * An outcome's count replaces the one said before. New outcomes are said at once and all counts now and then, so
 * that a later hang loses little. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
    int end;
    int value[LITMPI_OBSERVED];
    int node, block, at;
    long word;
    long count, first;
};

static struct outcome *outcomes;
static int known, room;
static double printed;

const char *litmpi_status_name(int status)
{
    static char text[128];
    snprintf(text, sizeof text, "IBV_WC_%d: %s", status, ibv_wc_status_str((enum ibv_wc_status)status));
    return text;
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
    if (outcome->end == LITMPI_END_STUCK)
        strcpy(text, "deadlock");
    else if (outcome->end == LITMPI_END_CUT)
        strcpy(text, "cut");
    else if (outcome->end == LITMPI_END_CORRUPT) {
        length = sprintf(text, "corrupt location %d of node %d: ", outcome->block, litmpi_current->node[outcome->node].number);
        if (outcome->at)
            sprintf(text + length, "something was written behind it, at its byte %d", outcome->at);
        else
            sprintf(text + length, "it holds what nobody wrote there, 0x%016lx", (unsigned long)outcome->word);
    }
    else
        for (int i = 0; i < litmpi_current->observed && length < (int)sizeof text - 16; i++)
            length += sprintf(text + length, " %d", outcome->value[i]);
    litmpi_say("litmpi outcome %d %ld %ld %s", litmpi_entry.id, outcome->count, outcome->first, text);
}

void litmpi_outcomes_print(long iterations)
{
    for (int i = 0; i < known; i++)
        print(&outcomes[i]);
    litmpi_say("litmpi sofar %d %ld", litmpi_entry.id, iterations);
    printed = litmpi_now();
}

int litmpi_outcomes_add(const struct litmpi_record *record, long iteration)
{
    size_t bytes = sizeof(int) * (size_t)litmpi_current->observed;
    int end = atomic_load(&record->end), at = 0;
    while (at < known && (outcomes[at].end != end ||
                          (end == LITMPI_END_VALUES && memcmp(outcomes[at].value, record->value, bytes) != 0)))
        at++;
    if (at < known) {
        outcomes[at].count++;
    } else {
        if (known == room) {
            room = room ? 2 * room : 64;
            outcomes = realloc(outcomes, sizeof *outcomes * (size_t)room);
            if (!outcomes)
                litmpi_fail("memory", "out of memory");
        }
        outcomes[known] = (struct outcome){.end = end,
                                           .node = atomic_load(&record->node),
                                           .block = atomic_load(&record->block),
                                           .at = atomic_load(&record->at),
                                           .word = atomic_load(&record->word),
                                           .count = 1,
                                           .first = iteration};
        memcpy(outcomes[known].value, record->value, sizeof record->value);
        print(&outcomes[known++]);
    }
    if (litmpi_now() - printed > 250)
        litmpi_outcomes_print(iteration + 1 - litmpi_entry.start);
    return end == LITMPI_END_STUCK;
}
