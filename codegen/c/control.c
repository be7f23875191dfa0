/* Talk between the ranks of a test on a communicator of its own: gathering outcomes, and telling a deadlock from
 * a slow run.
 *
 * Deadlock, in relaxed style. A rank whose call has not completed for `stuck` milliseconds of polling says so to
 * rank 0. When every rank is done or stuck and none has changed for as long again, rank 0 asks the stuck ones; a
 * rank that answers "still stuck" then stands still until it hears the decision. If all do, nothing can move any
 * more: the calls are given up and the iteration's outcome is `deadlock`. Else all go on. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <sched.h>
#include <string.h>

enum { TAG_UP = 1, TAG_DOWN = 2 };
enum { UP_DONE, UP_STUCK, UP_ANSWER };
enum { DOWN_GO, DOWN_QUERY, DOWN_GIVE_UP, DOWN_RESUME };
enum { RUNNING, STUCK, DONE };

struct up {
    int type;
    int epoch; /* of STUCK; of ANSWER: whether still stuck */
    struct litmpi_record record;
};

struct down {
    int type;
    int value; /* of GO: flags; of QUERY: the epoch */
};

/* A record's observables beyond the test's own are not sent. */
static struct litmpi_record records[LITMPI_RANKS];
static int state[LITMPI_RANKS], epoch_of[LITMPI_RANKS], answered[LITMPI_RANKS];
static double changed;   /* when a rank last changed its state */
static int answers, moved;
static int epoch;        /* of this rank's latest report */
static long iteration_no;

void litmpi_pause(long *polls)
{
    if (++*polls > 40)
        sched_yield();
}

void litmpi_control_begin(void)
{
    iteration_no = 0;
    memset(state, 0, sizeof state);
}

static void send_down(int rank, int type, int value)
{
    struct down down = {type, value};
    PMPI_Send(&down, sizeof down, MPI_BYTE, rank, TAG_DOWN, litmpi_control);
}

static int receive_down(struct down *down)
{
    int flag = 0;
    PMPI_Iprobe(0, TAG_DOWN, litmpi_control, &flag, MPI_STATUS_IGNORE);
    if (flag)
        PMPI_Recv(down, sizeof *down, MPI_BYTE, 0, TAG_DOWN, litmpi_control, MPI_STATUS_IGNORE);
    return flag;
}

static void send_up(int type, int value, const struct litmpi_record *record)
{
    struct up up = {0};
    up.type = type;
    up.epoch = value;
    if (record)
        up.record = *record;
    PMPI_Send(&up, record ? (int)sizeof up : (int)offsetof(struct up, record), MPI_BYTE, 0, TAG_UP, litmpi_control);
}

static void set_state(int rank, int to)
{
    if (state[rank] != to)
        changed = litmpi_now();
    state[rank] = to;
}

static int receive_up(void)
{
    int flag = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, TAG_UP, litmpi_control, &flag, &status);
    if (!flag)
        return 0;
    struct up up;
    int from = status.MPI_SOURCE;
    PMPI_Recv(&up, sizeof up, MPI_BYTE, from, TAG_UP, litmpi_control, MPI_STATUS_IGNORE);
    switch (up.type) {
    case UP_DONE:
        records[from] = up.record;
        set_state(from, DONE);
        break;
    case UP_STUCK:
        epoch_of[from] = up.epoch;
        state[from] = STUCK;
        changed = litmpi_now();
        break;
    default:
        answered[from] = up.epoch;
        moved |= !up.epoch;
        answers++;
    }
    return 1;
}

/* Rank 0: listens, and decides on a deadlock when all is silent. Whether this rank is to give up. */
static int lead(void)
{
    int stuck = 0;
    while (receive_up())
        ;
    for (int r = 0; r < litmpi_size; r++) {
        if (state[r] == RUNNING)
            return 0;
        stuck += state[r] == STUCK;
    }
    if (!stuck || litmpi_now() - changed < litmpi_entry.stuck)
        return 0;
    int asked = 0;
    answers = moved = 0;
    memset(answered, 0, sizeof answered);
    for (int r = 1; r < litmpi_size; r++)
        if (state[r] == STUCK) {
            send_down(r, DOWN_QUERY, epoch_of[r]);
            asked++;
        }
    for (long polls = 0; answers < asked;)
        if (!receive_up())
            litmpi_pause(&polls);
    for (int r = 1; r < litmpi_size; r++)
        if (answered[r]) {
            send_down(r, moved ? DOWN_RESUME : DOWN_GIVE_UP, 0);
            state[r] = RUNNING;
        }
    changed = litmpi_now();
    int mine = state[0] == STUCK;
    state[0] = mine ? RUNNING : state[0];
    return mine && !moved;
}

/* Another rank, inside a relaxed call: whether it is to give up. */
static int follow(struct litmpi_wait *wait)
{
    struct down down;
    if (!wait->told && litmpi_now() - wait->since > litmpi_entry.stuck) {
        send_up(UP_STUCK, ++epoch, NULL);
        wait->told = 1;
    }
    if (!receive_down(&down))
        return 0;
    if (!wait->told || down.value != epoch) {
        send_up(UP_ANSWER, 0, NULL);
        return 0;
    }
    send_up(UP_ANSWER, 1, NULL);
    for (long polls = 0; !receive_down(&down);)
        litmpi_pause(&polls);
    wait->told = 0;
    wait->since = litmpi_now();
    return down.type == DOWN_GIVE_UP;
}

int litmpi_idle(struct litmpi_wait *wait)
{
    litmpi_pause(&wait->polls);
    if (wait->polls % 16 || !litmpi_in_body)
        return 1;
    double now = litmpi_now();
    if (wait->since == 0)
        wait->since = now;
    if (litmpi_me != 0)
        return !follow(wait);
    set_state(0, now - wait->since > litmpi_entry.stuck ? STUCK : RUNNING);
    int give_up = lead();
    if (state[0] == RUNNING && now - wait->since > litmpi_entry.stuck)
        wait->since = now; /* the ranks were asked and went on */
    return !give_up;
}

/* All records are in: decides how to go on. */
static int decide(double begun)
{
    int pending = 0, broken = 0, uneven = 0, flags = 0;
    static long hangs, leaves;
    for (int r = 0; r < litmpi_size; r++) {
        pending |= records[r].pending;
        broken |= records[r].broken;
        uneven |= records[r].entered != records[0].entered;
    }
    if (pending)
        return LITMPI_GO_SETTLE;
    if (iteration_no == 0)
        hangs = leaves = 0;
    hangs += litmpi_outcomes_add(records, litmpi_entry.start + iteration_no);
    iteration_no++;
    /* A communicator on which one rank has called fewer collectives than another is of no more use. */
    if (broken || uneven) {
        flags |= LITMPI_GO_RENEW;
        leaves++;
    }
    if (iteration_no >= litmpi_entry.iterations || hangs >= litmpi_entry.hangs || leaves >= litmpi_entry.leaves ||
        litmpi_now() - begun > (double)litmpi_entry.millis)
        flags |= LITMPI_GO_STOP;
    return flags;
}

int litmpi_finish(const struct litmpi_record *record)
{
    static double begun;
    long polls = 0;
    if (litmpi_me != 0) {
        struct down down;
        send_up(UP_DONE, 0, record);
        for (;;) {
            if (!receive_down(&down))
                litmpi_pause(&polls);
            else if (down.type == DOWN_GO)
                return down.value;
            else if (down.type == DOWN_QUERY)
                send_up(UP_ANSWER, 0, NULL);
        }
    }
    if (iteration_no == 0)
        begun = litmpi_now();
    records[0] = *record;
    set_state(0, DONE);
    for (;;) {
        int done = 0;
        lead();
        for (int r = 0; r < litmpi_size; r++)
            done += state[r] == DONE;
        if (done == litmpi_size)
            break;
        litmpi_pause(&polls);
    }
    int flags = decide(begun);
    memset(state, 0, sizeof state);
    for (int r = 1; r < litmpi_size; r++)
        send_down(r, DOWN_GO, flags);
    return flags;
}
