/* A rank's memory: its variables, one behind the other with guards around each. A guard is a stretch of bytes that nobody may
 * write; they are looked at after every iteration. Elements of an array are next to each other, as a call sees them. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTER = 1024, INNER = 256, LINE = 64 }; /* bytes before and behind all, at least between two variables, of alignment */

static unsigned char pattern[OUTER + LINE];
static int **place;      /* of each block */
static const char **name;
static int blocks, room;
static char *names;
static struct guard {
    unsigned char *from;
    size_t bytes;
    int before, behind; /* the blocks around it, or -1 */
} *guards;
static int guard_count;
static void *memory;

static void *need(void *found)
{
    if (!found) {
        litmpi_note("memory", "out of memory");
        PMPI_Abort(MPI_COMM_WORLD, 98);
    }
    return found;
}

void *litmpi_allocate(size_t bytes)
{
    void *made = NULL;
    return need(posix_memalign(&made, 4096, bytes ? bytes : 1) == 0 ? made : NULL);
}

static void make_pattern(void)
{
    for (size_t i = 0; i < sizeof pattern; i += sizeof(uint64_t)) {
        uint64_t word = litmpi_mix(0x6775617264 + i); /* any constant */
        memcpy(pattern + i, &word, sizeof word);
    }
}

void litmpi_guard_fill(void *from, size_t bytes)
{
    if (!pattern[0])
        make_pattern();
    memcpy(from, pattern, bytes < sizeof pattern ? bytes : sizeof pattern);
}

int litmpi_guard_check(const void *from, size_t bytes, int *first, int *last)
{
    const unsigned char *x = from;
    size_t end = bytes < sizeof pattern ? bytes : sizeof pattern, at = 0;
    if (memcmp(x, pattern, end) == 0)
        return 1;
    while (x[at] == pattern[at])
        at++;
    while (x[end - 1] == pattern[end - 1])
        end--;
    *first = (int)at;
    *last = (int)end - 1;
    return 0;
}

int litmpi_is_guard(uint32_t word)
{
    for (size_t i = 0; i + sizeof word <= sizeof pattern; i += sizeof word)
        if (memcmp(pattern + i, &word, sizeof word) == 0)
            return 1;
    return 0;
}

static void add_guard(unsigned char **at, size_t bytes, int before, int behind)
{
    guards[guard_count++] = (struct guard){*at, bytes, before, behind};
    litmpi_guard_fill(*at, bytes);
    *at += bytes;
}

/* Whether the block begins a variable: it is no element of an array but the first. */
static int begins(int block)
{
    size_t length = strlen(name[block]);
    return name[block][length - 1] != ']' || (length > 3 && strcmp(name[block] + length - 3, "[0]") == 0);
}

/* The blocks' names, of one text. */
static void read_names(const struct litmpi_rank *rank)
{
    char *rest;
    free(names);
    names = need(malloc(strlen(rank->names) + 1));
    char *word = strtok_r(strcpy(names, rank->names), " ", &rest);
    for (int i = 0; i < blocks; i++, word = strtok_r(NULL, " ", &rest))
        name[i] = word ? word : "?";
}

void litmpi_memory_begin(const struct litmpi_rank *rank)
{
    size_t block = sizeof(int) * (size_t)litmpi_block;
    blocks = rank->blocks;
    if (blocks >= room) {
        room = blocks + 16;
        place = need(realloc(place, sizeof *place * (size_t)room));
        name = need(realloc(name, sizeof *name * (size_t)room));
        guards = need(realloc(guards, sizeof *guards * (size_t)(room + 1)));
    }
    read_names(rank);
    size_t bytes = 2 * OUTER + LINE + (size_t)blocks * (block + INNER + LINE);
    unsigned char *at = litmpi_allocate(bytes);
    memory = at;
    guard_count = 0;
    add_guard(&at, OUTER, -1, 0);
    for (int i = 0; i < blocks;) {
        int first = i;
        do {
            place[i++] = (int *)(void *)at;
            at += block;
        } while (i < blocks && !begins(i));
        size_t slack = (size_t)-(uintptr_t)at % LINE;
        add_guard(&at, slack + (i < blocks ? INNER : OUTER), first, i < blocks ? i : -1);
    }
}

int *litmpi_at(int number)
{
    return place[number];
}

/* What stands there is not used again, but others may still write it. */
void litmpi_memory_end(int lost)
{
    if (!lost)
        free(memory);
}

/* ---- what is written in it that may not be ---- */

int litmpi_guards_check(struct litmpi_corruption *c)
{
    int good = 1, first, last;
    for (int i = 0; i < guard_count; i++) {
        const struct guard *g = &guards[i];
        if (litmpi_guard_check(g->from, g->bytes, &first, &last))
            continue;
        /* It belongs to the variable that is nearer. */
        int behind = g->before >= 0 && (g->behind < 0 || first < (int)g->bytes - last);
        *c = (struct litmpi_corruption){.kind = behind ? LITMPI_BEHIND : LITMPI_BEFORE,
                                        .block = behind ? g->before : g->behind,
                                        .first = behind ? first : (int)g->bytes - 1 - last,
                                        .last = behind ? last : (int)g->bytes - 1 - first};
        litmpi_guard_fill(g->from, g->bytes);
        good = 0;
    }
    return good;
}

void litmpi_blocks_fill(const struct litmpi_rank *rank)
{
    for (int i = 0; i < rank->blocks; i++)
        litmpi_store(place[i], rank->initial[i]);
}

static int is_observed(int block)
{
    for (int i = 0; i < litmpi_current->observed; i++)
        if (litmpi_current->observable[i].rank == litmpi_me && litmpi_current->observable[i].block == block)
            return 1;
    return 0;
}

/* Blocks that nothing observes hold some value, too. */
int litmpi_blocks_check(struct litmpi_corruption *c)
{
    int value;
    for (int i = 0; i < blocks; i++)
        if (!is_observed(i) && !litmpi_is_whole(place[i]) && litmpi_inspect(place[i], &value, c) == LITMPI_CORRUPT) {
            c->block = i;
            return 0;
        }
    return 1;
}

int litmpi_block_of(const int *location)
{
    for (int i = 0; i < blocks; i++)
        if (place[i] == location)
            return i;
    return -1;
}

/* A variable's name: an array's is that before its elements. */
static void say_name(char *text, size_t room_of, const struct litmpi_rank *rank, int block, int whole)
{
    const char *at = rank->names;
    for (int i = 0; i < block && at; i++)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    int length = at && block >= 0 ? (int)strcspn(at, whole ? " [" : " ") : 0;
    if (length)
        snprintf(text, room_of, "%s%.*s", at[0] == '$' ? "the literal " : "", length - (at[0] == '$'), at + (at[0] == '$'));
    else
        snprintf(text, room_of, "memory of a window");
}

void litmpi_corruption_show(const struct litmpi_corruption *c, int rank, char *text, size_t size)
{
    char of[64];
    int is_guard = c->kind == LITMPI_BEFORE || c->kind == LITMPI_BEHIND;
    say_name(of, sizeof of, &litmpi_current->rank[rank], c->block, is_guard);
    switch (c->kind) {
    case LITMPI_MISPLACED:
        snprintf(text, size, "%s of rank %d: elements %d-%d hold %d as it belongs at %d-%d", of, rank, c->first, c->last, c->word,
                 c->origin, c->origin + c->last - c->first);
        break;
    case LITMPI_STALE:
        snprintf(text, size, "%s of rank %d: elements %d-%d hold %d as of %d iterations before", of, rank, c->first, c->last,
                 c->word, c->origin);
        break;
    case LITMPI_BEFORE:
    case LITMPI_BEHIND:
        snprintf(text, size, "%s of rank %d: something was written %s it, %d to %d bytes away", of, rank,
                 c->kind == LITMPI_BEFORE ? "before" : "behind", c->first, c->last);
        break;
    case LITMPI_LENT:
        snprintf(text, size, "rank %d: something was written %s the attached buffer, %d to %d bytes away", rank,
                 c->block ? "behind" : "before", c->first, c->last);
        break;
    case LITMPI_UNSET:
        snprintf(text, size, "rank %d: a call left the %s of a status unset", rank, c->block ? "tag" : "source");
        break;
    default:
        snprintf(text, size, "%s of rank %d: elements %d-%d hold what nobody wrote there, first 0x%08x%s", of, rank,
                 c->first, c->last, (unsigned)c->word, c->origin ? ", of a guard" : "");
    }
}
