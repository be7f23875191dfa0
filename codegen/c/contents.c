/* What the bytes of a location hold.
 *
 * A value stands in a block as a word for each element, which is a function of the value, of the element's place in the block
 * and of the iteration: so an element that was moved, left out, repeated or taken from an earlier iteration is another word.
 * What the operations of a test carry decides which function it is (`contents` of the test); `H` is a hash of the place and `S`
 * one of the iteration, both with zeros where values have their bits, and small enough that no sum overflows:
 *
 *   PLACED   v + H[i] + S           copying, MPI_MAX, MPI_MIN, MPI_BAND, MPI_BOR, comparing; the program's own operations,
 *                                   which keep the part above the values' bits
 *   SUMMED   v + n (H[i] + S)       MPI_SUM: n counts the operands that were added; any n is right, the same for the whole block
 *   MASKED   v, 0 or 1, by place    MPI_PROD, MPI_LAND, MPI_LOR, and mixtures: 0 and 1 are what these make of 0 and 0, 1 and 1
 *   ZEROED   v or 0, by place       mixtures with MPI_SUM, MPI_BXOR
 *
 * The first element of a MASKED or ZEROED block always holds the value. In the first two a block of a single int has H[0] and S,
 * too: memory that is all zeros is no value. A value is small (`is_small`); one block that holds another, the same for all
 * elements, is that value all the same unless it is explained better. */
#define _XOPEN_SOURCE 700
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* the loops over elements are to be vectors */
#endif
#include "harness.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTED = 64, AGO = 64 }; /* most operands of a sum; iterations that are looked back */

static int scheme;
static uint32_t *hash;          /* H, or in MASKED and ZEROED what stands at a place beside the value */
static uint32_t *mask;          /* MASKED, ZEROED: all ones where the value stands */
static long hashes;             /* elements of the tables */
static int hashed;              /* the scheme that they are of */
static uint32_t salt;           /* S */
static int bits, low;           /* how many bits H and S have, above how many of a value */
static long turn;

/* Whether it is a value that a test is likely to have. */
static int is_small(int v)
{
    int most = scheme == LITMPI_SUMMED ? 1 << (low - 1) : 1 << 15;
    return v >= -most && v < most;
}

static int is_masked(void)
{
    return scheme == LITMPI_MASKED || scheme == LITMPI_ZEROED;
}

static uint32_t salt_of(long iteration)
{
    return (uint32_t)(litmpi_mix((uint64_t)iteration) >> (64 - bits)) << low;
}

void litmpi_contents_begin(int of, int block)
{
    scheme = of;
    bits = scheme == LITMPI_SUMMED ? 10 : 18;
    low = scheme == LITMPI_SUMMED ? 14 : 12;
    if (hashes >= block && hashed == scheme)
        return;
    free(hash);
    free(mask);
    hash = malloc(sizeof *hash * (size_t)block);
    mask = malloc(sizeof *mask * (size_t)block);
    if (!hash || !mask) {
        litmpi_note("memory", "out of memory");
        PMPI_Abort(MPI_COMM_WORLD, 98);
        return;
    }
    for (int i = 0; i < block; i++) {
        uint64_t random = litmpi_mix(0x6c69746d7069u + (uint64_t)i); /* any constant */
        int is_value = i == 0 || (i > 1 && random >> 63);
        mask[i] = is_masked() && !is_value ? 0 : ~0u;
        if (is_masked())
            hash[i] = !is_value && scheme == LITMPI_MASKED ? random & 1 : 0;
        else
            hash[i] = (uint32_t)(random >> (64 - bits)) << low;
    }
    hashes = block;
    hashed = scheme;
}

void litmpi_contents_turn(long iteration)
{
    turn = iteration;
    salt = is_masked() ? 0 : salt_of(iteration);
}

void litmpi_store(int *location, int value)
{
    const uint32_t *restrict h = hash, *restrict m = mask;
    uint32_t *restrict x = (uint32_t *)location, v = (uint32_t)value + salt;
    int n = litmpi_block;
    if (is_masked())
        for (int i = 0; i < n; i++)
            x[i] = (v & m[i]) | h[i];
    else
        for (int i = 0; i < n; i++)
            x[i] = v + h[i];
}

/* The operands that the element counts, if it is one of a sum: 1 in other schemes, -1 if it is none. */
static int operands(uint32_t x, uint32_t h)
{
    if (scheme != LITMPI_SUMMED)
        return 1;
    for (int n = 0; n < COUNTED; n++)
        if (is_small((int)(x - (uint32_t)n * (h + salt))))
            return n;
    return -1;
}

/* Whether all elements hold one value at their right places, and which; also the count of its operands. */
static int is_uniform(const int *location, int *value)
{
    const uint32_t *restrict h = hash, *restrict m = mask, *restrict x = (const uint32_t *)location;
    uint32_t bad = 0, v;
    int n = litmpi_block;
    if (is_masked()) {
        v = x[0];
        for (int i = 0; i < n; i++)
            bad |= x[i] ^ ((v & m[i]) | h[i]);
    } else {
        int count = operands(x[0], h[0]);
        uint32_t times = count < 0 ? 1 : (uint32_t)count;
        v = x[0] - times * h[0];
        if (times == 1)
            for (int i = 0; i < n; i++)
                bad |= (x[i] - h[i]) ^ v;
        else
            for (int i = 0; i < n; i++)
                bad |= (x[i] - times * h[i]) ^ v;
        v -= times * salt;
    }
    *value = (int)v;
    return bad == 0;
}

/* ---- what is wrong: none of it is in a hurry ---- */

/* The value that a word stands for at a place, when it was written so many iterations ago; whether it is a likely one. */
static int holds(uint32_t x, int place, long ago, int *value)
{
    if (is_masked()) {
        *value = (int)x;
        return mask[place] ? is_small((int)x) : x == hash[place];
    }
    uint32_t s = salt_of(turn - ago), h = hash[place] + s;
    int most = scheme == LITMPI_SUMMED ? 8 : 1;
    for (int n = 1; n <= most; n++) {
        *value = (int)(x - (uint32_t)n * h);
        if (is_small(*value))
            return 1;
    }
    return 0;
}

static int is_right(uint32_t x, int place)
{
    int v;
    return scheme == LITMPI_SUMMED ? operands(x, hash[place]) >= 0 : holds(x, place, 0, &v);
}

/* How many elements from `at` on hold one value as it belongs from `from` on; -1 in `only` leaves the value open. */
static int run(const uint32_t *x, int at, int from, long ago, int *value)
{
    int length = 0, v, known = 0;
    while (at + length < litmpi_block && from + length < litmpi_block && holds(x[at + length], from + length, ago, &v)) {
        int says = !is_masked() || mask[from + length];
        if (says && known && v != *value)
            break;
        if (says) {
            *value = v;
            known = 1;
        }
        length++;
    }
    return length;
}

/* Where the word at a place, and as many as possible behind it, come from. */
static void explain(const uint32_t *x, int at, struct litmpi_corruption *c)
{
    int enough = is_masked() ? 24 : 2, value = 0;
    *c = (struct litmpi_corruption){.kind = LITMPI_FOREIGN, .first = at, .last = at, .word = (int)x[at]};
    for (long ago = 1; ago <= AGO && ago <= turn && !is_masked(); ago++) {
        int length = run(x, at, at, ago, &value);
        if (length > 1 || (length == 1 && litmpi_block == 1)) {
            *c = (struct litmpi_corruption){
                .kind = LITMPI_STALE, .first = at, .last = at + length - 1, .origin = (int)ago, .word = value};
            return;
        }
    }
    int best = 0, single = -1;
    for (int from = 0; from < litmpi_block; from++) {
        int length = from == at ? 0 : run(x, at, from, 0, &value);
        if (length > best) {
            best = length;
            c->origin = from;
            c->word = value;
        }
        if (length == 1 && (single < 0 || abs(from - at) < abs(single - at)))
            single = from;
        if (best >= 64)
            break;
    }
    if (best >= enough || (best && (at + best == litmpi_block || c->origin + best == litmpi_block)) || (best && is_right(x[c->origin], at))) {
        c->kind = LITMPI_MISPLACED;
        c->last = at + best - 1;
        if (best == 1 && single >= 0)
            c->origin = single;
        return;
    }
    c->word = (int)x[at];
    c->origin = litmpi_is_guard(x[at]);
    while (c->last + 1 < litmpi_block && !is_right(x[c->last + 1], c->last + 1))
        c->last++;
}

int litmpi_is_mixed(int value)
{
    return value >= LITMPI_MIXED - LITMPI_NEAR_MIXED && value <= LITMPI_MIXED + LITMPI_NEAR_MIXED;
}

int litmpi_inspect(const int *location, int *value, struct litmpi_corruption *c)
{
    const uint32_t *x = (const uint32_t *)location;
    struct litmpi_corruption found;
    int uniform = is_uniform(location, value), at = 0;
    /* What stands for a torn value is large: with the salt of one of the iterations before, now and then, it would be a small one. */
    if (uniform && (is_small(*value) || is_masked() || litmpi_is_mixed(*value)))
        return LITMPI_VALUE;
    while (at < litmpi_block && is_right(x[at], at))
        at++;
    if (at == litmpi_block)
        return LITMPI_TORN;
    explain(x, at, &found);
    /* A value of the program may be large; all zeros are none. */
    if (uniform && found.kind == LITMPI_FOREIGN && x[0] != 0)
        return LITMPI_VALUE;
    *c = found;
    return LITMPI_CORRUPT;
}

int litmpi_is_whole(const int *location)
{
    int value;
    return is_uniform(location, &value) && is_small(value);
}

/* Which elements of a block that is torn hold what: the first few stretches. */
void litmpi_show_torn(const int *location, char *text, size_t room)
{
    size_t length = 0;
    int shown = 0;
    for (int at = 0; at < litmpi_block && length < room && shown < 6; shown++) {
        int value = 0, n = run((const uint32_t *)location, at, at, 0, &value);
        if (n == 0)
            n = 1;
        length += (size_t)snprintf(text + length, room - length, "%selements %d-%d hold %d", at ? ", " : "", at, at + n - 1, value);
        at += n;
    }
}

/* ---- the program's own operations ---- */

/* The place's part of a word; the rest is the value. */
static int part(int x)
{
    return scheme == LITMPI_PLACED ? (x + (1 << (low - 1))) & ~((1 << low) - 1) : 0;
}

#define OPERATION(name, result)                                               \
    void name(void *first, void *second, int *length, MPI_Datatype *type)     \
    {                                                                         \
        const int *in = first;                                                \
        int *inout = second;                                                  \
        (void)type;                                                           \
        for (int i = 0; i < *length; i++) {                                   \
            int at = part(in[i]), other = part(inout[i]);                     \
            int x = in[i] - at, y = inout[i] - other;                         \
            /* Elements at different places are never combined. */            \
            inout[i] = at == other ? at + (result) : INT_MIN;                 \
        }                                                                     \
    }

OPERATION(LITMPI_LEFT, ((void)y, x))
OPERATION(LITMPI_RIGHT, ((void)x, y))
OPERATION(LITMPI_COMPOSE, 16 * (x / 16 * (y / 16) % 16) + (x % 16 * (y / 16) + y % 16) % 16)
OPERATION(LITMPI_ADD, x + y)
