/* Holds the words that values stand as (codegen/c/contents.c) against every operation that carries them, and every corruption
 * against what is said of it. Prints what fails; the exit code is how much. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 2048

const struct litmpi_test *const litmpi_tests[] = {NULL};
const int litmpi_test_count = 0;
static int failed;
static int a[MOST], b[MOST], c[MOST];

static void expect(int good, const char *what, int contents, int block, int v)
{
    if (good)
        return;
    printf("%s: contents %d, %d elements, value %d\n", what, contents, block, v);
    failed++;
}

static int sum(int x, int y) { return x + y; }
static int product(int x, int y) { return x * y; }
static int greatest(int x, int y) { return x > y ? x : y; }
static int least(int x, int y) { return x < y ? x : y; }
static int both(int x, int y) { return x && y; }
static int either(int x, int y) { return x || y; }
static int bits_and(int x, int y) { return x & y; }
static int bits_or(int x, int y) { return x | y; }
static int bits_xor(int x, int y) { return x ^ y; }

static const struct {
    const char *name;
    int (*of)(int, int);
    int contents[5]; /* those that carry it; ends with -1 */
} operations[] = {
    {"sum", sum, {LITMPI_SUMMED, LITMPI_ZEROED, -1}},
    {"product", product, {LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"greatest", greatest, {LITMPI_PLACED, LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"least", least, {LITMPI_PLACED, LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"both", both, {LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"either", either, {LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"and", bits_and, {LITMPI_PLACED, LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"or", bits_or, {LITMPI_PLACED, LITMPI_MASKED, LITMPI_ZEROED, -1}},
    {"xor", bits_xor, {LITMPI_ZEROED, -1}},
};

static void begin(int contents, int block, long turn)
{
    litmpi_block = block;
    litmpi_contents_begin(contents, block);
    litmpi_contents_turn(turn);
}

static int is_value(const int *x, int v)
{
    struct litmpi_corruption found;
    int value;
    return litmpi_inspect(x, &value, &found) == LITMPI_VALUE && value == v;
}

/* Every operation, on every form that carries it: the result is the block of the result, and no block of its operands' places
 * but the right ones is. */
static void carries(void)
{
    const int blocks[] = {1, 2, 3, 64, 1000}, values[] = {0, 1, 2, 7, 100};
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (const int *contents = operations[o].contents; *contents >= 0; contents++)
            for (int at = 0; at < 5 * 25; at++) {
                int block = blocks[at / 25], x = values[at % 25 / 5], y = values[at % 5];
                begin(*contents, block, at);
                litmpi_store(a, x);
                litmpi_store(b, y);
                for (int i = 0; i < block; i++)
                    c[i] = operations[o].of(a[i], b[i]);
                expect(is_value(a, x), "a value is not what it was", *contents, block, x);
                expect(is_value(c, operations[o].of(x, y)), operations[o].name, *contents, block, x * 1000 + y);
            }
}

/* The program's own operations keep places, and spoil what is not at one place. */
static void own_operations(void)
{
    MPI_User_function *const own[] = {LITMPI_LEFT, LITMPI_RIGHT, LITMPI_COMPOSE};
    const int results[] = {35, 52, 16 * (2 * 3 % 16) + (3 * 3 + 4) % 16};
    int length = 64;
    for (int o = 0; o < 3; o++)
        for (int contents = LITMPI_PLACED; contents <= LITMPI_ZEROED; contents++) {
            if (contents == LITMPI_SUMMED && o == 2)
                continue;
            begin(contents, length, 3);
            litmpi_store(a, 35);
            litmpi_store(b, 52);
            own[o](a, b, &length, NULL);
            expect(is_value(b, results[o]), "an operation of the program", contents, length, o);
        }
    begin(LITMPI_PLACED, length, 3);
    litmpi_store(a, 35);
    litmpi_store(b, 52);
    memmove(a, a + 1, sizeof(int) * (size_t)(length - 1));
    LITMPI_LEFT(a, b, &length, NULL);
    expect(!is_value(b, 35), "operands at different places", LITMPI_PLACED, length, 35);
}

/* A value that another is torn into, a shift, a swap, a fragment twice, and an earlier iteration. */
static void corruptions(int contents, int block, int v)
{
    struct litmpi_corruption found = {0};
    /* Of 0 and 1 by place a few elements may be right by chance. */
    int value, half = block / 2, sure = contents == LITMPI_PLACED || contents == LITMPI_SUMMED;
    size_t bytes = sizeof(int) * (size_t)block;
    begin(contents, block, 100);
    litmpi_store(a, v);
    litmpi_store(b, v + 5);

    memcpy(c, a, bytes);
    memcpy(c, b, bytes / 2);
    expect(litmpi_inspect(c, &value, &found) == LITMPI_TORN, "torn", contents, block, v);

    memcpy(c, a, bytes);
    memmove(c, c + 1, bytes - sizeof(int));
    expect(litmpi_inspect(c, &value, &found) == LITMPI_CORRUPT, "shifted", contents, block, v);
    expect(found.kind == LITMPI_MISPLACED && found.origin == found.first + 1 && found.last >= block - 3 && found.word == v,
           "shifted, said", contents, block, v);

    memcpy(c, a + half, bytes / 2);
    memcpy(c + half, a, bytes / 2);
    expect(litmpi_inspect(c, &value, &found) == LITMPI_CORRUPT, "swapped", contents, block, v);
    expect(!sure || (found.kind == LITMPI_MISPLACED && found.first < 4 && found.origin == found.first + half && found.last == half - 1),
           "swapped, said", contents, block, v);

    memcpy(c, a, bytes);
    memcpy(c + half, a + 8, 32 * sizeof(int));
    expect(litmpi_inspect(c, &value, &found) == LITMPI_CORRUPT, "repeated", contents, block, v);
    expect(!sure || (found.kind == LITMPI_MISPLACED && found.last == half + 31 && found.origin - found.first == 8 - half), "repeated, said",
           contents, block, v);

    memcpy(c, a, bytes);
    memset((char *)c + bytes / 2, 0xEE, 8);
    expect(litmpi_inspect(c, &value, &found) == LITMPI_CORRUPT && found.kind == LITMPI_FOREIGN && found.first == half &&
               found.last == half + 1, "foreign", contents, block, v);

    memcpy(c, a, bytes);
    litmpi_contents_turn(102);
    expect(!sure || (litmpi_inspect(c, &value, &found) == LITMPI_CORRUPT && found.kind == LITMPI_STALE && found.origin == 2 &&
                     found.first == 0 && found.last == block - 1), "stale", contents, block, v);
}

/* Adding up in parts: some elements have been added to, others not yet. */
static void half_a_sum(void)
{
    struct litmpi_corruption found;
    int value;
    begin(LITMPI_SUMMED, 512, 7);
    litmpi_store(a, 3);
    litmpi_store(b, 4);
    for (int i = 0; i < 200; i++)
        a[i] += b[i];
    expect(litmpi_inspect(a, &value, &found) == LITMPI_TORN, "half a sum is torn", LITMPI_SUMMED, 512, 7);
    for (int i = 200; i < 512; i++)
        a[i] += b[i];
    expect(is_value(a, 7), "a sum", LITMPI_SUMMED, 512, 7);
    memset(a, 0, sizeof a);
    begin(LITMPI_PLACED, 2, 7);
    expect(litmpi_inspect(a, &value, &found) == LITMPI_CORRUPT && found.kind == LITMPI_FOREIGN, "zeros are no value",
           LITMPI_PLACED, 2, 0);
    litmpi_store(a, 1 << 30);
    expect(is_value(a, 1 << 30), "a large value", LITMPI_PLACED, 2, 1 << 30);
}

int main(void)
{
    carries();
    own_operations();
    for (int contents = LITMPI_PLACED; contents <= LITMPI_MASKED; contents++)
        for (int v = contents == LITMPI_MASKED; v < 3; v++) {
            corruptions(contents, 512, v);
            corruptions(contents, 1024, v);
        }
    corruptions(LITMPI_ZEROED, 512, 2);
    half_a_sum();
    return failed > 255 ? 255 : failed;
}
