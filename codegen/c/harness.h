/* What the parts of the harness share. */
#ifndef LITMPI_HARNESS_H
#define LITMPI_HARNESS_H

#include "litmpi.h"
#include "common.h"

#define LITMPI_GIVEN_UP (-77) /* a relaxed call was given up: the test is deadlocked */

enum litmpi_request_kind { LITMPI_SENDING, LITMPI_RECEIVING, LITMPI_COLLECTIVE, LITMPI_PERSISTENT = 4 };

/* How one test is run: a line of the schedule. */
struct litmpi_entry {
    char test[128];
    int id;           /* names the entry in the output */
    int block;        /* ints a location */
    int relaxed;      /* poll with Test and sched_yield inside blocking calls */
    long iterations;  /* at most */
    long millis;      /* at most */
    uint64_t seed;
    long start;       /* number of the first iteration: replays */
    double delay;     /* chance of a delay at a statement */
    double delay_max; /* its greatest length, microseconds */
    int watchdog;     /* seconds without progress until the process gives up */
    int stuck;        /* relaxed: milliseconds of silence that count as deadlock */
    long hangs;       /* stop after this many deadlocks */
    long loop;        /* most turns of a loop */
};

extern struct litmpi_entry litmpi_entry;
extern const struct litmpi_test *litmpi_current;

/* harness.c: the state of one iteration */
extern MPI_Comm litmpi_control;
extern int litmpi_me, litmpi_size;
extern int litmpi_in_body;
void litmpi_track(MPI_Request request, enum litmpi_request_kind kind);
void litmpi_abandon(MPI_Request request, enum litmpi_request_kind kind);
void litmpi_enter(void); /* a collective is called */
void litmpi_break(void); /* this iteration's communicator and memory are not used again */
void litmpi_note(const char *what, const char *detail);
long litmpi_run(int *broken); /* the current entry, on the ranks of its test; how many iterations */
extern MPI_Errhandler litmpi_errors; /* what communicators of tests do with errors */
int litmpi_main(int argc, char **argv);
void litmpi_follow_parent(void);  /* a rank does not outlive its launcher */
void litmpi_watch(void);      /* sets the watchdog up */

/* objects.c */
void litmpi_free_comms(int broken); /* those that the body left behind */
void litmpi_buffer_begin(size_t bytes); /* the harness's own, for tests that attach none */
void litmpi_buffer_lend(void (*back)(void)); /* no buffer of the harness's, until the messages are gone and this is called */
void litmpi_buffer_restore(void);       /* back to it, when the test's messages are gone */

/* callbacks.c */
extern int litmpi_tolerant, litmpi_error; /* whether the test wants errors returned; the class of the last one */
void litmpi_callbacks_begin(void);
MPI_Comm_errhandler_function litmpi_stay; /* stands for MPI_ERRORS_ARE_FATAL */

/* control.c: talk between the ranks of a test, outside of the test's communicator */
struct litmpi_wait {
    long polls;
    double since;
    int told;
};

/* Between two polls of a relaxed call; 0 when the call is to be given up. */
int litmpi_idle(struct litmpi_wait *wait);
/* relaxed.c: polls until the request completes; one that is given up is left to the harness. */
int litmpi_poll(MPI_Request *request, MPI_Status *status, enum litmpi_request_kind kind);
/* Between two polls of the harness itself. */
void litmpi_pause(long *polls);

/* What a rank says when its body has ended. */
struct litmpi_record {
    int end;     /* LITMPI_END_* */
    int error;   /* error class */
    int pending; /* it has receives left */
    int broken;  /* it left a collective, which nothing can cancel */
    int entered; /* collectives that it called */
    int kind[LITMPI_OBSERVED];
    int value[LITMPI_OBSERVED];
};
enum { LITMPI_END_VALUES, LITMPI_END_STUCK, LITMPI_END_CUT, LITMPI_END_ERROR };
enum { LITMPI_ELSEWHERE, LITMPI_VALUE, LITMPI_TORN };
enum { LITMPI_GO_STOP = 1, LITMPI_GO_SETTLE = 2, LITMPI_GO_RENEW = 4 };

/* Hands in a rank's record and waits until every rank has; how to go on. Rank 0 gathers. */
int litmpi_finish(const struct litmpi_record *record);
void litmpi_control_begin(void);

/* For programs that judge by themselves (tap.c), which hear what would be printed: the exit code, what is said of a hang. */
extern int (*litmpi_verdict)(void);
extern const char *litmpi_hang;
extern int litmpi_hang_code;
/* Of what is allowed nothing is noted. */
extern int litmpi_hush;

/* outcomes.c: the histogram, on rank 0 of the test */
void litmpi_outcomes_begin(void);
/* Adds an iteration; whether it was a deadlock. */
int litmpi_outcomes_add(const struct litmpi_record *all, long iteration);
void litmpi_outcomes_print(long iterations);
const char *litmpi_class_name(int class);

#endif
