/* Runs the tests of a suite as its schedule says, in one launch.
 *
 * An iteration: fill the memory; drain; run the bodies; settle; read the memory; gather the outcome.
 *
 * Final values are read when all bodies have ended and no receive is under way any more, as in the model, whose final
 * values are those of states in which nothing can happen. So receives that bodies leave behind, or let go of by
 * MPI_Request_free, are settled first: a message that such a receive matches has been sent, since all bodies have ended;
 * an exchange on another communicator brings it in; then the receive is cancelled, which fails if it has matched, and
 * waited for. A message that a probe has reserved, and that nobody has received, is received.
 *
 * Draining keeps an iteration's messages out of the next one: every rank sends every rank a sentinel on the test's own
 * communicator and receives from each source whatever comes until the sentinel. Messages of one pair do not overtake each
 * other, so nothing is left behind it, and what MPI_Bsend had buffered is gone. Nobody sends a sentinel before all bodies
 * have ended and the receives that they left are settled, so no receive of the test can take one, and a rank that hangs
 * still hangs.
 *
 * A collective that not all ranks have called cannot be taken back, nor a window that is not freed: the communicator is
 * then drained a last time and, like the memory, given up. How often that may be says main.c.
 *
 * Limits: the sentinel's tag (32767, the greatest that every MPI has) is not for tests; a message left over must
 * fit the largest rank's memory. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SENTINEL 32767
#define LEFT 256

int litmpi_block;
MPI_Comm litmpi_comm, litmpi_control;
MPI_Errhandler litmpi_errors;
struct litmpi_entry litmpi_entry;
int litmpi_me, litmpi_size, litmpi_in_body, litmpi_renewals;
const struct litmpi_test *litmpi_current;

static struct litmpi_record record;
static uint64_t random_state;
static double body_begun;
static int delays; /* whether this rank delays in this iteration */
static volatile int point;
static volatile long iteration;
static MPI_Request tracked[LEFT], left[LEFT];
static int tracked_kind[LEFT], left_kind[LEFT];
static MPI_Message reserved[LEFT];
static int tracks, lefts, reserves;
static void *scratch;
static int scratch_ints;
static struct litmpi_corruption corrupted; /* what was found wrong in this iteration */
static int torn_told, stuck_told;

static void delay(void)
{
    double length = delays ? litmpi_delay(&random_state) : 0;
    if (length == 0)
        return;
    double end = litmpi_now() + length / 1e3;
    if (length > 200) {
        struct timespec t = {0, (long)(length * 1e3) % 1000000000};
        nanosleep(&t, NULL);
    }
    while (litmpi_now() < end)
        sched_yield();
}

/* ---- what tests call ---- */

void litmpi_point(int line)
{
    point = line;
    delay();
}

int litmpi_choose(int alternatives)
{
    int c = (int)(litmpi_uniform(&random_state) * alternatives);
    return c < alternatives ? c : alternatives - 1;
}

int litmpi_turn(long turn)
{
    /* Before the watchdog takes a loop for a hang: a yield may cost a time slice. */
    int late = turn % 16 == 15 && litmpi_now() - body_begun > 500.0 * litmpi_entry.watchdog;
    if (turn < litmpi_entry.loop && !late) {
        if (turn)
            sched_yield();
        return 1;
    }
    record.end = LITMPI_END_CUT;
    litmpi_note("cut", "a loop passed its bound");
    return 0;
}

int litmpi_ok(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "", detail[MPI_MAX_ERROR_STRING + 128];
    const char *polled = litmpi_polled;
    int length;
    if (code == MPI_SUCCESS)
        return 1;
    litmpi_polled = NULL;
    if (code == LITMPI_GIVEN_UP) {
        record.end = LITMPI_END_STUCK;
        if (stuck_told++ < 4)
            litmpi_note("stuck", "the call was given up");
        return 0;
    }
    if (litmpi_tolerant) {
        litmpi_erred = 1;
        PMPI_Error_class(code, &litmpi_error);
        return 1;
    }
    record.end = LITMPI_END_ERROR;
    PMPI_Error_class(code, &record.error);
    PMPI_Error_string(code, text, &length);
    snprintf(detail, sizeof detail, "%s%s%s: %s", litmpi_class_name(record.error), polled ? " from " : "",
             polled ? polled : "", text);
    litmpi_note("error", detail);
    return 0;
}

int litmpi_unchecked;
const char *litmpi_polled;
const char *litmpi_hang;
int litmpi_hang_code = 97;
int litmpi_hush;

int litmpi_ended(void)
{
    return record.end != LITMPI_END_VALUES;
}

void litmpi_corrupt(const struct litmpi_corruption *corruption)
{
    if (corrupted.kind == LITMPI_SOUND)
        corrupted = *corruption;
}

/* Says of the first few what is torn into what. */
static void note_torn(const int *location)
{
    char text[512];
    if (torn_told++ >= 4)
        return;
    litmpi_show_torn(location, text, sizeof text);
    litmpi_note("torn", text);
}

int litmpi_load(const int *location)
{
    int value = 0;
    struct litmpi_corruption corruption;
    switch (litmpi_inspect(location, &value, &corruption)) {
    case LITMPI_TORN:
        note_torn(location);
        return LITMPI_MIXED + (abs(value) < LITMPI_NEAR_MIXED / 2 ? value : 0);
    case LITMPI_CORRUPT:
        corruption.block = litmpi_block_of(location);
        litmpi_corrupt(&corruption);
        break;
    default:;
    }
    return value;
}

/* What a branch goes by: of what is torn the first element, as in the model of locations of two elements. */
int litmpi_first(int value)
{
    return litmpi_is_mixed(value) ? value - LITMPI_MIXED : value;
}

/* A field of a status that a call was to fill in. */
static int filled(int value, int is_tag)
{
    if (value == LITMPI_STALE)
        litmpi_corrupt(&(struct litmpi_corruption){.kind = LITMPI_UNSET, .block = is_tag});
    return value;
}

int litmpi_source(const MPI_Status *status)
{
    filled(status->MPI_SOURCE, 0);
    if (status->MPI_SOURCE == MPI_ANY_SOURCE)
        return -1;
    return status->MPI_SOURCE == MPI_PROC_NULL ? -2 : status->MPI_SOURCE;
}

int litmpi_tag(const MPI_Status *status)
{
    filled(status->MPI_TAG, 1);
    return status->MPI_TAG == MPI_ANY_TAG ? -1 : status->MPI_TAG;
}

int litmpi_count(const MPI_Status *status)
{
    int count = 0;
    PMPI_Get_count(status, MPI_INT, &count);
    return count == MPI_UNDEFINED || count % litmpi_block ? -1 : count / litmpi_block;
}

int litmpi_cancelled(const MPI_Status *status)
{
    int flag = 0;
    PMPI_Test_cancelled(status, &flag);
    return flag;
}

int litmpi_error_of(const MPI_Status *status)
{
    int class = MPI_SUCCESS;
    if (status->MPI_ERROR == LITMPI_STALE)
        return -1;
    PMPI_Error_class(status->MPI_ERROR, &class);
    return litmpi_class(class);
}

int litmpi_index(int index)
{
    return index == MPI_UNDEFINED ? -1 : index;
}

void litmpi_observe(int observable, int value)
{
    record.kind[observable] = litmpi_is_mixed(value) ? LITMPI_TORN : LITMPI_VALUE;
    record.value[observable] = value;
}

/* ---- requests that a body leaves behind ---- */

void litmpi_track(MPI_Request request, enum litmpi_request_kind kind)
{
    /* A handle is used again once its request has completed: the last call that made it counts. */
    for (int i = 0; i < tracks; i++)
        if (tracked[i] == request) {
            tracked[i] = tracked[--tracks];
            tracked_kind[i--] = tracked_kind[tracks];
        }
    if (kind != LITMPI_SENDING && tracks < LEFT) {
        tracked[tracks] = request;
        tracked_kind[tracks++] = (int)kind;
    }
}

void litmpi_mark(MPI_Request request)
{
    for (int i = 0; i < tracks; i++)
        if (tracked[i] == request)
            tracked_kind[i] |= LITMPI_CANCELLED;
}

int litmpi_kind(MPI_Request request)
{
    for (int i = 0; i < tracks; i++)
        if (tracked[i] == request)
            return tracked_kind[i];
    return LITMPI_SENDING;
}

void litmpi_abandon(MPI_Request request, enum litmpi_request_kind kind)
{
    int complete = 0;
    if (request == MPI_REQUEST_NULL || lefts == LEFT)
        return;
    /* The harness receives what is left of the communicator that all iterations share, and of no other one. */
    if (LITMPI_IS(kind, LITMPI_SENDING) && kind & LITMPI_APART) {
        PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
        record.broken |= !complete;
        if (!complete)
            return;
    }
    left[lefts] = request;
    left_kind[lefts++] = (int)kind;
    record.pending |= LITMPI_IS(kind, LITMPI_RECEIVING);
    record.broken |= LITMPI_IS(kind, LITMPI_COLLECTIVE);
}

void litmpi_leave(MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    int kind = litmpi_kind(*request), complete = 0, generalised = LITMPI_IS(kind, LITMPI_GENERALISED);
    if (kind & LITMPI_PERSISTENT || generalised)
        PMPI_Request_get_status(*request, &complete, MPI_STATUS_IGNORE);
    /* Nobody else will ever say that it is complete. */
    if (generalised && !complete)
        complete = PMPI_Grequest_complete(*request) == MPI_SUCCESS;
    /* What was not started is not waited for, whatever the library says of it. */
    if (complete || litmpi_is_idle(*request))
        PMPI_Request_free(request);
    else
        litmpi_abandon(*request, (enum litmpi_request_kind)kind);
}

/* Arrays that requests may read, the last one first. */
static struct lasting {
    struct lasting *next;
    max_align_t array[];
} *lasting;

void *litmpi_lasting(const void *array, size_t bytes)
{
    struct lasting *one = litmpi_allocate(sizeof *one + bytes);
    one->next = lasting;
    lasting = one;
    return memcpy(one->array, array, bytes);
}

static void forget_arrays(void)
{
    while (lasting) {
        struct lasting *next = lasting->next;
        free(lasting);
        lasting = next;
    }
}

void litmpi_leave_message(MPI_Message *message)
{
    if (*message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC || reserves == LEFT)
        return;
    reserved[reserves++] = *message;
    record.pending = 1;
}

void litmpi_enter(MPI_Comm comm)
{
    record.entered += comm == litmpi_comm;
}

void litmpi_break(void)
{
    record.broken = record.pending = 1;
}

static void wait_for(MPI_Request *request)
{
    int flag = 0;
    for (long polls = 0; PMPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag;)
        litmpi_pause(&polls);
    if (*request != MPI_REQUEST_NULL) /* a persistent one */
        PMPI_Request_free(request);
}

/* Every rank to every rank, itself included, an empty message; discards what comes before it. */
static void exchange(MPI_Comm comm)
{
    MPI_Request sends[LITMPI_RANKS];
    for (int r = 0; r < litmpi_size; r++)
        PMPI_Isend(NULL, 0, MPI_INT, r, SENTINEL, comm, &sends[r]);
    for (int r = 0; r < litmpi_size; r++) {
        MPI_Status status;
        do {
            MPI_Request request;
            int flag = 0;
            PMPI_Irecv(scratch, scratch_ints, MPI_INT, r, MPI_ANY_TAG, comm, &request);
            for (long polls = 0; !flag;) {
                PMPI_Test(&request, &flag, &status);
                if (!flag)
                    litmpi_pause(&polls);
            }
        } while (status.MPI_TAG != SENTINEL);
    }
    for (int r = 0; r < litmpi_size; r++)
        wait_for(&sends[r]);
}

void litmpi_discard(MPI_Message *message)
{
    MPI_Request request;
    PMPI_Imrecv(scratch, scratch_ints, MPI_INT, message, &request);
    wait_for(&request);
}

/* All bodies have ended. A receive left behind may still match a message that is on its way: an exchange on the
 * control communicator pushes those in, and cancelling fails for a receive that has matched. */
static void settle(void)
{
    int kept = 0;
    exchange(litmpi_control);
    while (reserves > 0)
        litmpi_discard(&reserved[--reserves]);
    for (int i = 0; i < lefts; i++)
        if (LITMPI_IS(left_kind[i], LITMPI_RECEIVING)) {
            if (!(left_kind[i] & LITMPI_CANCELLED))
                PMPI_Cancel(&left[i]);
            wait_for(&left[i]);
        } else {
            left_kind[kept] = left_kind[i];
            left[kept++] = left[i];
        }
    lefts = kept;
    litmpi_windows_settle();
    record.pending = 0;
}

static void drain(void)
{
    int found = 1;
    exchange(litmpi_comm);
    /* What a rank has sent to itself, all iterations have, too. */
    while (found) {
        MPI_Message message;
        found = 0;
        if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && found)
            litmpi_discard(&message);
    }
    int is_over = 1;
    while (lefts-- > 0) /* sends: somebody has received them by now */
        if (LITMPI_IS(left_kind[lefts], LITMPI_COLLECTIVE))
            is_over = 0;
        else
            wait_for(&left[lefts]);
    lefts = 0;
    if (is_over)
        forget_arrays();
    litmpi_buffer_restore();
}

/* What the rank's memory holds. After an error it may hold anything where the test does not look, but guards must stand. */
static void observe_locations(void)
{
    struct litmpi_corruption c = {0};
    if (!litmpi_guards_check(&c))
        litmpi_corrupt(&c);
    litmpi_buffer_check();
    record.corruption = corrupted;
    if (record.end != LITMPI_END_VALUES)
        return;
    for (int i = 0; i < litmpi_current->observed; i++) {
        const struct litmpi_observable *o = &litmpi_current->observable[i];
        if (o->rank != litmpi_me || o->block < 0 || record.kind[i] == LITMPI_TORN)
            continue;
        record.kind[i] = litmpi_inspect(LITMPI_AT(o->block), &record.value[i], &c);
        if (record.kind[i] == LITMPI_VALUE && litmpi_is_mixed(record.value[i])) {
            record.kind[i] = LITMPI_TORN; /* told when it was loaded */
            continue;
        }
        if (record.kind[i] == LITMPI_TORN && !record.pending)
            note_torn(LITMPI_AT(o->block));
        if (record.kind[i] == LITMPI_CORRUPT && record.corruption.kind == LITMPI_SOUND) {
            record.corruption = c;
            record.corruption.block = o->block;
        }
        if (record.kind[i] == LITMPI_TORN && record.pending)
            record.kind[i] = LITMPI_ELSEWHERE; /* it is looked at again */
    }
    if (record.corruption.kind == LITMPI_SOUND && !litmpi_erred && !litmpi_blocks_check(&c))
        record.corruption = c;
}

/* ---- the watchdog ---- */

static char *put(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, long n)
{
    char digits[24];
    int d = 0;
    do
        digits[d++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (d)
        *at++ = digits[--d];
    return at;
}

/* Says on stderr what happened where, with calls that a signal handler may make. */
void litmpi_note(const char *what, const char *detail)
{
    char line[1200], *at = line;
    int is_hang = strcmp(what, "hang") == 0, is_given_up = strcmp(what, "cut") == 0 || strcmp(what, "stuck") == 0;
    if (litmpi_hush && (is_given_up || (litmpi_hang_code == 0 && is_hang)))
        return;
    at = put_number(put(at, "\nlitmpi! "), litmpi_entry.id);
    at = put_number(put(at, " rank "), litmpi_me);
    at = put_number(put(at, " iteration "), iteration);
    at = put(put(put(at, " "), what), " ");
    if (litmpi_current)
        at = put(at, litmpi_current->file);
    at = put_number(put(at, ":"), point);
    at = put(at, litmpi_in_body ? " " : " (body ended) ");
    for (int i = 0; detail[i] && i < 600; i++)
        *at++ = detail[i] == '\n' ? ' ' : detail[i];
    *at++ = '\n';
    if (write(STDERR_FILENO, line, (size_t)(at - line)) < 0)
        return;
}

static void on_alarm(int signal)
{
    (void)signal;
    char detail[64], *end = put(put_number(put(detail, "no progress for "), litmpi_entry.watchdog), " s");
    *end = 0;
    litmpi_note("hang", detail);
    if (litmpi_hang && litmpi_me == 0 && write(STDOUT_FILENO, litmpi_hang, strlen(litmpi_hang)) < 0)
        _exit(97);
    struct timespec t = {litmpi_hang && litmpi_me != 0, 150000000}; /* let the other ranks say where they are */
    nanosleep(&t, NULL);
    _exit(litmpi_hang_code);
}

static double armed; /* when, or 0 */

static void arm(void)
{
    double now = litmpi_now();
    if (now - armed > 100) {
        alarm((unsigned)litmpi_entry.watchdog);
        armed = now;
    }
}

/* ---- an entry of the schedule ---- */

static void begin_iteration(const struct litmpi_rank *rank)
{
    litmpi_contents_turn(iteration);
    litmpi_blocks_fill(rank);
    corrupted.kind = LITMPI_SOUND;
    memset(&record, 0, sizeof record);
    litmpi_none_started();
    tracks = 0;
    random_state = litmpi_mix(litmpi_mix(litmpi_entry.seed ^ litmpi_mix((uint64_t)iteration)) ^ (uint64_t)litmpi_me);
    delays = litmpi_entry.delay > 0 && litmpi_uniform(&random_state) < 0.5;
    point = 0;
}

/* Runs the current entry on the ranks of its test; sets `broken` when it leaves something behind that nothing can take away. */
long litmpi_run(int *broken)
{
    const struct litmpi_rank *rank = &litmpi_current->rank[litmpi_me];
    int flags = 0;
    size_t most = 0;
    litmpi_block = litmpi_current->single ? 1 : litmpi_entry.block;
    for (int r = 0; r < litmpi_size; r++)
        most = (size_t)litmpi_current->rank[r].blocks > most ? (size_t)litmpi_current->rank[r].blocks : most;
    litmpi_contents_begin(litmpi_current->contents, litmpi_block);
    litmpi_memory_begin(rank);
    torn_told = stuck_told = 0;
    scratch_ints = (int)(most * (size_t)litmpi_block);
    scratch = litmpi_allocate(sizeof(int) * (size_t)scratch_ints);
    litmpi_control_begin();
    if (litmpi_me == 0)
        litmpi_outcomes_begin();
    for (iteration = litmpi_entry.start; !(flags & LITMPI_GO_STOP); iteration++) {
        arm();
        begin_iteration(rank);
        litmpi_callbacks_begin();
        drain();
        litmpi_in_body = 1;
        body_begun = litmpi_now();
        delay();
        rank->body();
        litmpi_in_body = 0;
        observe_locations();
        while ((flags = litmpi_finish(&record)) & LITMPI_GO_SETTLE) {
            settle();
            observe_locations();
        }
        litmpi_free_comms(flags & LITMPI_GO_RENEW);
        if (flags & LITMPI_GO_RENEW) {
            /* Nothing can take it away: leave the communicator and its buffers to it, but not the test's messages. */
            drain();
            *broken = 1;
            litmpi_renewals++;
            litmpi_memory_begin(rank);
            PMPI_Comm_dup(litmpi_control, &litmpi_comm);
            PMPI_Comm_set_errhandler(litmpi_comm, litmpi_errors);
        }
    }
    drain();
    alarm(0);
    armed = 0;
    free(scratch);
    litmpi_memory_end(*broken);
    return iteration - litmpi_entry.start;
}

void litmpi_watch(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
}
