/* What the harnesses for MPI and for verbs share. Each has a `struct litmpi_entry` and tests of its own; what stands here asks
 * of these only what both have. */
#ifndef LITMPI_COMMON_H
#define LITMPI_COMMON_H

#include <stdint.h>

struct litmpi_entry;
struct litmpi_test;

double litmpi_now(void); /* milliseconds */

/* Random numbers are a function of seed, iteration and rank or thread, so that an iteration can be replayed. */
uint64_t litmpi_mix(uint64_t x);
double litmpi_uniform(uint64_t *state); /* from 0 to 1 */
/* How long to wait at a statement, in microseconds, by the entry's chance and greatest length; 0 for not at all. */
double litmpi_delay(uint64_t *state);

/* Prints a line, or hands it to the listener if there is one. */
void litmpi_say(const char *format, ...);
extern void (*litmpi_listener)(const char *line);

/* The schedule: an entry a line, KEY=VALUE words; see main.c for the keys. */
char *litmpi_read_file(const char *path);
/* Parses an entry; 0 for an empty line. Words that nobody knows are said if it is loud. */
int litmpi_parse(char *line, struct litmpi_entry *entry, int loud);
/* What only one of the harnesses knows; whether it does. */
int litmpi_parse_own(struct litmpi_entry *entry, const char *key, const char *value);
const struct litmpi_test *litmpi_find(const char *name);

#endif
