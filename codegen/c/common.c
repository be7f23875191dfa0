/* What the harnesses for MPI and for verbs share: time, random numbers, lines of output, and the schedule. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { VALUE = 512 }; /* longest value of a key, with its end */

void (*litmpi_listener)(const char *line);

double litmpi_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

uint64_t litmpi_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double litmpi_uniform(uint64_t *state)
{
    *state = litmpi_mix(*state);
    return (double)(*state >> 11) * 0x1p-53;
}

double litmpi_delay(uint64_t *state)
{
    if (litmpi_uniform(state) >= litmpi_entry.delay)
        return 0;
    /* Short and long delays are equally likely by order of magnitude, down to a thousandth of the greatest. */
    double length = litmpi_entry.delay_max;
    for (double u = 3 * litmpi_uniform(state); u >= 1; u -= 1)
        length /= 10;
    return length / (1 + 9 * litmpi_uniform(state));
}

void litmpi_say(const char *format, ...)
{
    /* One write a line: lines of different processes do not mix. */
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    if (litmpi_listener) {
        line[length] = 0;
        litmpi_listener(line);
        return;
    }
    line[length++] = '\n';
    for (int at = 0; at < length;) {
        ssize_t n = write(STDOUT_FILENO, line + at, (size_t)(length - at));
        if (n <= 0)
            return;
        at += (int)n;
    }
}

char *litmpi_read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room);
    while (text && (length += fread(text + length, 1, room - length - 1, file)) == room - 1)
        text = realloc(text, room *= 2);
    fclose(file);
    if (text)
        text[length] = 0;
    return text;
}

const struct litmpi_test *litmpi_find(const char *name)
{
    for (int i = 0; i < litmpi_test_count; i++)
        if (strcmp(litmpi_tests[i]->name, name) == 0)
            return litmpi_tests[i];
    return NULL;
}

static int parse_word(struct litmpi_entry *e, const char *word)
{
    char key[32], value[VALUE];
    if (sscanf(word, "%31[^=]=%511s", key, value) != 2)
        return 0;
#define KEY(name) (strcmp(key, #name) == 0)
    if (KEY(test))
        snprintf(e->test, sizeof e->test, "%.*s", (int)sizeof e->test - 1, value);
    else if (KEY(id))
        e->id = atoi(value);
    else if (KEY(iterations))
        e->iterations = atol(value);
    else if (KEY(millis))
        e->millis = atol(value);
    else if (KEY(seed))
        e->seed = strtoull(value, NULL, 10);
    else if (KEY(start))
        e->start = atol(value);
    else if (KEY(delay))
        e->delay = atof(value);
    else if (KEY(delay_max))
        e->delay_max = atof(value);
    else if (KEY(watchdog))
        e->watchdog = atoi(value);
    else if (KEY(stuck))
        e->stuck = atoi(value);
    else if (KEY(hangs))
        e->hangs = atol(value);
    else if (KEY(loop))
        e->loop = atol(value);
    else
        return litmpi_parse_own(e, key, value);
#undef KEY
    return 1;
}

int litmpi_parse(char *line, struct litmpi_entry *e, int loud)
{
    const struct litmpi_entry defaults = {.iterations = 1000, .millis = 1000, .delay_max = 100,
                                          .watchdog = 10, .stuck = 2000, .hangs = 1, .loop = 100000};
    *e = defaults;
    for (char *rest, *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (!parse_word(e, word) && loud)
            litmpi_say("litmpi problem: cannot read %s", word);
    return e->test[0] != 0;
}
