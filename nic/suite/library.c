/* A small library that carries messages in order from `a` to `b`, through a ring that `a` writes into; and the same library with a
 * mistake that only a weak fabric shows.
 *
 *     cc -o library library.c -libverbs && litmpi nic --adversary torn -- ./library flag-with-data
 *
 * `right` is right under every adversary: it writes the flag behind the data, uses memory again when that is over, and, when its
 * connection fails, makes another, asks what has come and sends the rest again. */
#define _GNU_SOURCE
#include "ends.h"

#include <unistd.h>

enum { SLOTS = 8, SIZE = 256, FLAGS = SLOTS * SIZE, CREDITS = FLAGS + 8 * SLOTS, COUNTER = 4096 - 64, OLD = COUNTER + 8, CREDIT = OLD + 8 };

static const char *fault = "right";
static struct end c, d; /* other queue pairs of the same memory, for one of the mistakes */
static uint64_t next = 1, completed, credit, expected = 1;
static int wrong, failures, credits; /* of these, those whose completions have not come */
static struct times times = {.timeout = 11, .retry = 6, .not_ready = 7, .timer = 20};

static int is(const char *name)
{
    return !strcmp(fault, name);
}

static int counts(void)
{
    return is("resends") || is("processor-atomics");
}

static volatile uint64_t *word(struct end *e, size_t at)
{
    return (volatile uint64_t *)(void *)(e->memory + at);
}

static char pattern(uint64_t number)
{
    return (char)(number % 113 + 1);
}

static int post(struct end *from, struct end *to, enum ibv_wr_opcode opcode, uint64_t id, size_t at, size_t length, size_t there)
{
    struct ibv_sge sge = {(uintptr_t)from->memory + at, (uint32_t)length, from->mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = id ? IBV_SEND_SIGNALED : 0};
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = (uintptr_t)to->memory + there;
        wr.wr.atomic.rkey = to->mr->rkey;
        wr.wr.atomic.compare_add = 1;
    } else {
        wr.wr.rdma.remote_addr = (uintptr_t)to->memory + there;
        wr.wr.rdma.rkey = to->mr->rkey;
    }
    return ibv_post_send(from->qp, &wr, &bad);
}

static void receive_credit(uint64_t i)
{
    struct ibv_sge sge = {(uintptr_t)a.memory + CREDITS + 8 * i, 8, a.mr->lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1};
    need(!ibv_post_recv(a.qp, &wr, &bad), "ibv_post_recv");
}

static void empty(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    while (ibv_poll_cq(cq, 1, &wc) > 0)
        ;
}

static void again(struct end *e, uint32_t other)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE), "RESET");
    initialise(e, all_rights);
    connect_to(e, other, times);
}

/* Makes the connection anew; what has come, the receiver says. */
static void recover(void)
{
    failures++;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    need(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE) && !ibv_modify_qp(b.qp, &attr, IBV_QP_STATE), "ERR");
    attr.qp_state = IBV_QPS_RESET;
    need(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE) && !ibv_modify_qp(b.qp, &attr, IBV_QP_STATE), "RESET");
    again(&a, b.qp->qp_num);
    again(&b, a.qp->qp_num);
    empty(a.sent);
    empty(a.received);
    empty(b.sent);
    credits = 0;
    for (uint64_t i = 0; i < SLOTS; i++)
        receive_credit(i);
    if (is("resends")) {
        next = completed + 1;
    } else {
        completed = credit = expected - 1;
        next = expected;
    }
}

static void lose(const char *why)
{
    printf("wrong: %s after %d of them\n", why, (int)expected - 1);
    fflush(stdout);
    _exit(0);
}

/* Whether the connection is of no more use. */
static int is_over(const struct ibv_wc *wc)
{
    if (wc->status == IBV_WC_SUCCESS || is("any-status"))
        return 0;
    if (is("no-retry"))
        lose(ibv_wc_status_str(wc->status));
    return 1;
}

static void send_next(void)
{
    size_t slot = next % SLOTS, length = SIZE;
    if (is("early-reuse"))
        slot = 0;
    memset(a.memory + slot * SIZE, pattern(next), SIZE);
    size_t to = (next % SLOTS) * SIZE, flag = FLAGS + 8 * (next % SLOTS);
    if (is("flag-with-data")) {
        *word(&a, slot * SIZE + SIZE - 8) = next;
        if (post(&a, &b, IBV_WR_RDMA_WRITE, next, slot * SIZE, length, to))
            lose("there is no room for a request");
    } else {
        *word(&a, flag) = next;
        int failed = post(&a, &b, IBV_WR_RDMA_WRITE, 0, slot * SIZE, length, to);
        if (is("other-queue-pair")) {
            usleep(8000);
            failed |= post(&c, &d, IBV_WR_RDMA_WRITE, next, flag, 8, flag);
        } else if (counts()) {
            failed |= post(&a, &b, IBV_WR_ATOMIC_FETCH_AND_ADD, next, OLD, 8, COUNTER);
        } else {
            failed |= post(&a, &b, IBV_WR_RDMA_WRITE, next, flag, 8, flag);
        }
        if (failed)
            lose("there is no room for a request");
    }
    if (is("early-reuse"))
        usleep(8000);
    next++;
}

static int sender(uint64_t all)
{
    struct ibv_wc wc[SLOTS];
    struct ibv_cq *cq = is("other-queue-pair") ? c.sent : a.sent;
    uint64_t behind = is("early-reuse") ? credit : completed;
    if (next <= all && next <= credit + SLOTS && next <= behind + SLOTS)
        send_next();
    int n = ibv_poll_cq(cq, SLOTS, wc), over = 0;
    need(n >= 0, "ibv_poll_cq");
    for (int i = 0; i < n; i++) {
        over |= is_over(&wc[i]);
        if (!over && !(is("takes-one") && i))
            completed++;
    }
    if (over)
        return 1;
    n = ibv_poll_cq(a.received, 1, wc);
    if (n > 0 && is_over(wc))
        return 1;
    if (n > 0) {
        credit = *word(&a, CREDITS + 8 * wc->wr_id);
        if (wc->status == IBV_WC_SUCCESS)
            receive_credit(wc->wr_id);
    }
    return 0;
}

static int has_come(void)
{
    if (is("processor-atomics"))
        return *word(&b, COUNTER) > 0;
    if (counts())
        return *word(&b, COUNTER) >= expected;
    size_t flag = is("flag-with-data") ? (expected % SLOTS) * SIZE + SIZE - 8 : FLAGS + 8 * (expected % SLOTS);
    return *word(&b, flag) == expected;
}

static int receiver(void)
{
    struct ibv_wc wc;
    int n = ibv_poll_cq(b.sent, 1, &wc);
    if (n > 0 && is_over(&wc))
        return 1;
    credits -= n > 0;
    if (credits > 3 * SLOTS || !has_come())
        return 0;
    if (is("processor-atomics"))
        __atomic_fetch_sub((uint64_t *)(void *)(b.memory + COUNTER), 1, __ATOMIC_SEQ_CST);
    size_t length = is("flag-with-data") ? SIZE - 8 : SIZE, bad = 0;
    for (size_t at = 0; at < length; at++)
        bad |= b.memory[(expected % SLOTS) * SIZE + at] != pattern(expected);
    wrong += bad;
    *word(&b, CREDIT) = expected++;
    /* A credit that is sent later says as much and more. */
    if (post(&b, &a, IBV_WR_SEND, 1, CREDIT, 8, 0) && !is("any-status"))
        lose("there is no room for a credit");
    credits++;
    return 0;
}

int main(int n, char **words)
{
    if (n > 1)
        fault = words[1];
    uint64_t all = is("other-queue-pair") || is("early-reuse") ? 60 : is("takes-one") ? 100 : is("resends") ? 4000 : 1000;
    if (is("no-retry"))
        times.retry = times.not_ready = 0;
    pair_with(64, 4 * SLOTS, all_rights, times);
    if (is("other-queue-pair")) {
        (c = a, d = b);
        make_qp(&c, 64, DEPTH);
        make_qp(&d, 64, DEPTH);
        initialise(&c, all_rights);
        initialise(&d, all_rights);
        connect_to(&c, d.qp->qp_num, times);
        connect_to(&d, c.qp->qp_num, times);
    }
    for (uint64_t i = 0; i < SLOTS; i++)
        receive_credit(i);
    uint64_t before = 0;
    for (double since = now(); expected <= all || completed < all;) {
        if (sender(all) | receiver())
            recover();
        if (expected != before)
            (before = expected, since = now());
        if (now() - since > 1.5)
            lose("nothing comes");
    }
    if (wrong)
        printf("wrong: %d of %d messages\n", wrong, (int)all);
    else
        printf("right: %d messages, %d connections\n", (int)all, 1 + failures);
    return 0;
}
