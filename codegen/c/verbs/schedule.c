/* The schedule: an entry a line, KEY=VALUE words. See main.c for the keys. */
#define _GNU_SOURCE
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct litmpi_test *litmpi_find(const char *name)
{
    for (int i = 0; i < litmpi_test_count; i++)
        if (strcmp(litmpi_tests[i]->name, name) == 0)
            return litmpi_tests[i];
    return NULL;
}

static int parse_word(struct litmpi_entry *e, const char *word)
{
    char key[32], value[sizeof e->stress];
    if (sscanf(word, "%31[^=]=%511s", key, value) != 2)
        return 0;
#define KEY(name) (strcmp(key, #name) == 0)
    if (KEY(test))
        snprintf(e->test, sizeof e->test, "%.*s", (int)sizeof e->test - 1, value);
    else if (KEY(stress))
        strcpy(e->stress, value);
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
    else if (KEY(score))
        return sscanf(value, "%ld:%ld", &e->score, &e->scores) == 2;
    else if (KEY(inline))
        e->use_inline = atoi(value);
    else if (!KEY(block) && !KEY(style) && !KEY(placement)) /* those are of other families */
        return 0;
#undef KEY
    return 1;
}

/* Parses an entry; 0 for an empty line. */
int litmpi_parse(char *line, struct litmpi_entry *e)
{
    const struct litmpi_entry defaults = {.iterations = 1000, .millis = 1000, .delay_max = 100,
                                          .watchdog = 10, .stuck = 2000, .hangs = 1, .loop = 100000};
    *e = defaults;
    for (char *rest, *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
        if (!parse_word(e, word) && litmpi_me == 0)
            litmpi_say("litmpi problem: cannot read %s", word);
    return e->test[0] != 0;
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
