/* What a standalone test says of itself. */
#ifndef LITMPI_STANDALONE_H
#define LITMPI_STANDALONE_H

/* An outcome that the model allows: as the harness says it, and as people read it. */
struct litmpi_allowed {
    const char *outcome, *shown;
};

struct litmpi_standalone {
    const char *name;                      /* of the test in this program */
    const char *const *about;              /* where the test and its verdicts come from; ends with NULL */
    const struct litmpi_allowed *allowed;  /* ends with NULL */
    int may_deadlock;
};

/* Runs the test and says in TAP, for each size, whether all outcomes seen are allowed. The exit code: 0 if they are, 1 if
 * not, 97 after a hang that is not allowed. */
int litmpi_tap(int argc, char **argv, const struct litmpi_standalone *of);

#endif
