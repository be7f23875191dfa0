/* What the parts of the harness share. */
#ifndef LITMPI_HARNESS_H
#define LITMPI_HARNESS_H

#include "litmpi.h"
#include "common.h"

#define LITMPI_GIVEN_UP (-77) /* a relaxed call was given up: the test is deadlocked */

/* Of what a request is; LITMPI_PERSISTENT, LITMPI_CANCELLED (the test has marked it) and LITMPI_APART (it is of a communicator that the test has
 * made) are added to that. */
enum litmpi_request_kind {
    LITMPI_SENDING,
    LITMPI_RECEIVING,
    LITMPI_COLLECTIVE,
    LITMPI_GENERALISED,
    LITMPI_PERSISTENT = 4,
    LITMPI_CANCELLED = 8,
    LITMPI_APART = 16
};

/* Whether a request is a send, a receive, a collective operation or a generalised request, whatever is added to that. */
#define LITMPI_IS(kind, what) (((kind) & ~(LITMPI_PERSISTENT | LITMPI_CANCELLED | LITMPI_APART)) == (what))

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
    long leaves;      /* stop after this many iterations that left something behind that nothing can take away */
};

extern struct litmpi_entry litmpi_entry;
extern const struct litmpi_test *litmpi_current;

/* harness.c: the state of one iteration */
extern MPI_Comm litmpi_control;
extern int litmpi_me, litmpi_size;
extern int litmpi_in_body;
void litmpi_track(MPI_Request request, enum litmpi_request_kind kind);
void litmpi_abandon(MPI_Request request, enum litmpi_request_kind kind);
void litmpi_mark(MPI_Request request); /* the test has cancelled it */
int litmpi_kind(MPI_Request request);  /* what it was tracked as */
void litmpi_enter(MPI_Comm comm); /* a collective is called */
void litmpi_break(void); /* a window is left: this iteration's communicator and memory are not used again */
extern int litmpi_renewals; /* iterations of this process that left something behind that nothing can take away */
void litmpi_discard(MPI_Message *message); /* receives it, and forgets it */
void litmpi_note(const char *what, const char *detail);
long litmpi_run(int *broken); /* the current entry, on the ranks of its test; how many iterations */
extern MPI_Errhandler litmpi_errors; /* what communicators of tests do with errors */
int litmpi_main(int argc, char **argv);
void litmpi_follow_parent(void);  /* a rank does not outlive its launcher */
void litmpi_watch(void);      /* sets the watchdog up */

/* What is wrong with a rank's memory. */
enum { LITMPI_SOUND, LITMPI_MISPLACED, LITMPI_STALE, LITMPI_FOREIGN, LITMPI_BEFORE, LITMPI_BEHIND, LITMPI_LENT, LITMPI_UNSET };
struct litmpi_corruption {
    int kind;        /* one of these */
    int block;       /* where; -1 for memory that the library brought */
    int first, last; /* elements; of guards, bytes away from the variable */
    int origin;      /* MISPLACED: where they belong; STALE: iterations ago; FOREIGN: whether it is of a guard */
    int word;        /* the value, or FOREIGN: the first word */
};

/* contents.c: the words that values stand as */
void litmpi_contents_begin(int contents, int block);
void litmpi_contents_turn(long iteration);
/* Of a block whose elements hold several values, this and its first element's value are loaded: no value of a program, nor near
 * one. Registers that hold it, or what was computed from it, and locations that it was stored in or sent to, are torn when they
 * are observed. */
enum { LITMPI_MIXED = -1000000007, LITMPI_NEAR_MIXED = 100000 };
int litmpi_is_mixed(int value);
/* What a block holds: LITMPI_VALUE, LITMPI_TORN (several values, each element at its place) or LITMPI_CORRUPT. */
int litmpi_inspect(const int *location, int *value, struct litmpi_corruption *corruption);
int litmpi_is_whole(const int *location); /* a value, surely; else it is to be inspected */
void litmpi_show_torn(const int *location, char *text, size_t room);

/* memory.c: where they stand, and guards around */
void *litmpi_allocate(size_t bytes);
void litmpi_memory_begin(const struct litmpi_rank *rank);
void litmpi_memory_end(int lost);
void litmpi_blocks_fill(const struct litmpi_rank *rank);
/* Whether nothing is wrong. Guards are made good again. */
int litmpi_blocks_check(struct litmpi_corruption *corruption);
int litmpi_guards_check(struct litmpi_corruption *corruption);
int litmpi_block_of(const int *location);
void litmpi_guard_fill(void *from, size_t bytes);
int litmpi_guard_check(const void *from, size_t bytes, int *first, int *last);
int litmpi_is_guard(uint32_t word); /* whether guards have such a word */
void litmpi_corruption_show(const struct litmpi_corruption *corruption, int rank, char *text, size_t size);

/* harness.c: remembers the first of an iteration */
void litmpi_corrupt(const struct litmpi_corruption *corruption);

/* objects.c */
void litmpi_free_comms(int broken); /* those that the body left behind */
void litmpi_buffer_begin(size_t bytes); /* the harness's own, for tests that attach none */
void litmpi_buffer_lend(void (*back)(void)); /* no buffer of the harness's, until the messages are gone and this is called */
void litmpi_buffer_check(void);         /* whether somebody wrote beside it */
void litmpi_buffer_restore(void);       /* back to it, when the test's messages are gone */

/* windows.c: what the library's memory holds of windows that bodies have left, where the variables are */
void litmpi_windows_settle(void);

/* callbacks.c */
extern const char *litmpi_polled; /* in relaxed style, the call that failed where it polls in place of one that waits */
extern int litmpi_tolerant, litmpi_error; /* whether the test wants errors returned; the class of the last one */
extern int litmpi_erred;                  /* whether a call of this iteration has returned one */
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
int litmpi_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);
int litmpi_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int litmpi_wait(MPI_Request *request, MPI_Status *status);
int litmpi_waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int litmpi_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status);
int litmpi_waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]);
int litmpi_mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int litmpi_probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
/* statuses.c: what a status holds that no call has filled in */
#define LITMPI_STALE (-31337)
void litmpi_none_started(void); /* an iteration begins */
int litmpi_is_idle(MPI_Request request); /* it is null, or persistent and not started: there is nothing to wait for */
/* Between two polls of the harness itself. */
void litmpi_pause(long *polls);

/* What a rank says when its body has ended. */
struct litmpi_record {
    int end;     /* LITMPI_END_* */
    int error;   /* error class */
    int pending; /* it has receives, reserved messages or windows left: its memory is to be read when all bodies have ended */
    int broken;  /* it left a collective, which nothing can cancel, or a send that nobody can receive any more */
    int entered; /* collectives that it called on the test's communicator */
    struct litmpi_corruption corruption;
    int kind[LITMPI_OBSERVED];
    int value[LITMPI_OBSERVED];
};
enum { LITMPI_END_VALUES, LITMPI_END_STUCK, LITMPI_END_CUT, LITMPI_END_ERROR, LITMPI_END_CORRUPT };
enum { LITMPI_ELSEWHERE, LITMPI_VALUE, LITMPI_TORN, LITMPI_CORRUPT };
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
