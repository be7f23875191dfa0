/* Probes of what a device does when something is wrong: each is a function that says what came, in words that every device can say.
 *
 *     cc -o probes probes.c -libverbs && ./probes [--gid INDEX] [PROBE...]
 *
 * One line for each probe: its name, and completions, events and states in the order in which they came. Two queue pairs of one process,
 * `a` and `b`, are connected; a probe breaks something. Run on the emulated NIC and on Soft-RoCE, the lines are compared. */
#define _GNU_SOURCE
#include "ends.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char line[4096];

static void say(const char *format, ...)
{
    size_t at = strlen(line);
    va_list list;
    va_start(list, format);
    vsnprintf(line + at, sizeof line - at, format, list);
    va_end(list);
}

/* ---- what came ---- */

static const char *status(enum ibv_wc_status s)
{
    static const char *const names[] = {"SUCCESS", "LOC_LEN", "LOC_QP_OP", "LOC_EEC_OP", "LOC_PROT", "FLUSH", "MW_BIND",
                                        "BAD_RESP", "LOC_ACCESS", "REM_INV_REQ", "REM_ACCESS", "REM_OP", "RETRY_EXC", "RNR_RETRY_EXC"};
    return (unsigned)s < sizeof names / sizeof *names ? names[s] : "OTHER";
}

/* So many completions of a queue, or as many as come within three seconds. */
static void completions(const char *what, struct ibv_cq *cq, int n)
{
    double until = now() + 3;
    say(" %s[", what);
    for (int i = 0; i < n;) {
        struct ibv_wc wc;
        int got = ibv_poll_cq(cq, 1, &wc);
        if (got < 0 || now() > until) {
            say("%s%s", i ? " " : "", got < 0 ? "error" : "none");
            break;
        }
        if (got > 0)
            say("%s%d:%s", i++ ? " " : "", (int)wc.wr_id, status(wc.status));
    }
    say("]");
}

static void state(const char *what, struct end *e)
{
    static const char *const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    /* A responder's state follows within a short time. */
    for (double until = now() + 0.3; now() < until;)
        if (ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init) || attr.qp_state == IBV_QPS_ERR)
            break;
    say(" %s=%s", what, attr.qp_state <= IBV_QPS_ERR ? names[attr.qp_state] : "?");
}

static int event(struct end *e, struct ibv_async_event *event)
{
    struct pollfd fd = {.fd = e->context->async_fd, .events = POLLIN};
    return poll(&fd, 1, 1000) == 1 && !ibv_get_async_event(e->context, event);
}

static void both(int sent, int received)
{
    completions("a", a.sent, sent);
    completions("b", b.received, received);
    state("a", &a);
    state("b", &b);
}

/* ---- the probes ---- */

static void good(void)
{
    pair();
    receive(&b, 10, 64);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    ask_there(&a, &b, IBV_WR_RDMA_READ, 3, 64);
    ask_there(&a, &b, IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 8);
    both(4, 1);
}

static void bad_rkey(void)
{
    pair();
    receive(&b, 10, 64);
    receive(&b, 11, 64);
    ask(&a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)b.memory, b.mr->rkey + 0x5000);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    both(2, 2);
}

static void bad_rkey_of_read(void)
{
    pair();
    ask(&a, IBV_WR_RDMA_READ, 1, 64, (uintptr_t)b.memory, b.mr->rkey + 0x5000);
    ask_there(&a, &b, IBV_WR_SEND, 2, 64);
    both(2, 0);
}

static void beyond_the_region(void)
{
    pair();
    ask(&a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)b.memory + LENGTH - 63, b.mr->rkey);
    both(1, 0);
}

static void no_right_of_the_queue_pair(void)
{
    pair_with(64, DEPTH, IBV_ACCESS_LOCAL_WRITE, patient);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    both(1, 0);
}

static void other_protection_domain(void)
{
    pair();
    struct ibv_pd *pd = ibv_alloc_pd(b.context);
    struct ibv_mr *mr = ibv_reg_mr(pd, b.memory, LENGTH, all_rights);
    ask(&a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)b.memory, mr->rkey);
    both(1, 0);
}

static void bad_lkey(void)
{
    pair();
    struct ibv_mr was = *a.mr;
    a.mr->lkey += 0x5000;
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    a.mr->lkey = was.lkey;
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    completions("a", a.sent, 2);
    state("a", &a);
}

static void bad_lkey_of_receive(void)
{
    pair();
    receive_at(&b, 10, 64, b.mr->lkey + 0x5000);
    receive(&b, 11, 64);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    both(1, 2);
}

static void too_long(void)
{
    pair();
    receive(&b, 10, 16);
    receive(&b, 11, 64);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    ask_there(&a, &b, IBV_WR_SEND, 2, 64);
    both(2, 2);
}

static void not_ready(void)
{
    struct times t = patient;
    t.not_ready = 2;
    t.timer = 20; /* 10.24 ms */
    pair_with(64, DEPTH, all_rights, t);
    double begun = now();
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    both(2, 0);
    say(" %s", now() - begun > 0.02 ? "after the timers" : "at once");
}

static void ready_in_time(void)
{
    struct times t = patient;
    t.not_ready = 6;
    t.timer = 26; /* 81.92 ms */
    pair_with(64, DEPTH, all_rights, t);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    usleep(100000);
    receive(&b, 10, 64);
    both(1, 1);
}

static void nobody_there(void)
{
    open_end(&a);
    b = a;
    make_qp(&a, 64, DEPTH);
    make_qp(&b, 64, DEPTH);
    uint32_t qpn = b.qp->qp_num;
    initialise(&a, all_rights);
    connect_to(&a, qpn, hasty);
    receive(&a, 10, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    completions("a", a.sent, 2);
    completions("a's", a.received, 1);
    state("a", &a);
}

static void destroyed(void)
{
    pair_with(64, DEPTH, all_rights, hasty);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    completions("a", a.sent, 1);
    receive(&a, 10, 64);
    ibv_destroy_qp(b.qp);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    completions("a", a.sent, 1);
    completions("a's", a.received, 1);
    state("a", &a);
}

static void in_error(void)
{
    pair_with(64, DEPTH, all_rights, hasty);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    receive(&b, 10, 64);
    ibv_modify_qp(b.qp, &attr, IBV_QP_STATE);
    receive(&b, 11, 64);
    ask_there(&b, &a, IBV_WR_RDMA_WRITE, 5, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    both(1, 2);
    completions("b's", b.sent, 1);
}

/* A process of its own is the other end, has touched so much memory besides, and waits until it is killed. */
static struct {
    volatile uint32_t there, qpn, rkey, to, is_ready;
    volatile uint64_t addr;
} *other;

static pid_t with_another_process(size_t more)
{
    other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0) {
        open_end(&b);
        make_qp(&b, 64, DEPTH);
        initialise(&b, all_rights);
        if (more > 0)
            memset(malloc(more), 1, more);
        other->rkey = b.mr->rkey;
        other->addr = (uintptr_t)b.memory;
        other->qpn = b.qp->qp_num;
        other->there = 1;
        while (!other->to)
            usleep(1000);
        connect_to(&b, other->to, hasty);
        other->is_ready = 1;
        for (;;)
            pause();
    }
    while (!other->there)
        usleep(1000);
    open_end(&a);
    make_qp(&a, 64, DEPTH);
    initialise(&a, all_rights);
    connect_to(&a, other->qpn, hasty);
    other->to = a.qp->qp_num;
    while (!other->is_ready)
        usleep(1000);
    return child;
}

/* The other process is killed in the middle. */
static void killed(void)
{
    pid_t child = with_another_process(0);
    ask(&a, IBV_WR_RDMA_WRITE, 1, 64, other->addr, other->rkey);
    completions("a", a.sent, 1);
    receive(&a, 10, 64);
    kill(child, SIGKILL);
    usleep(100000); /* nobody has waited for it yet */
    ask(&a, IBV_WR_RDMA_WRITE, 2, 64, other->addr, other->rkey);
    completions("a", a.sent, 1);
    completions("a's", a.received, 1);
    state("a", &a);
    waitpid(child, NULL, 0);
}

/* It has much memory, which it needs time to give back; writes go on meanwhile. */
static void dying(void)
{
    pid_t child = with_another_process((size_t)1 << 29);
    struct ibv_wc wc = {.status = IBV_WC_SUCCESS};
    kill(child, SIGKILL);
    for (double until = now() + 10; wc.status == IBV_WC_SUCCESS && now() < until;) {
        ask(&a, IBV_WR_RDMA_WRITE, 1, 64, other->addr, other->rkey);
        while (ibv_poll_cq(a.sent, 1, &wc) == 0 && now() < until)
            ;
    }
    say(" a, after those that are done: %s", status(wc.status));
    state("a", &a);
    waitpid(child, NULL, 0);
}

static void overrun(void)
{
    pair_with(7, DEPTH, all_rights, patient);
    for (int i = 0; i < 9; i++)
        receive(&b, 10 + i, 8);
    for (int i = 0; i < 9; i++) {
        ask_there(&a, &b, IBV_WR_SEND, i, 8);
        completions("a", a.sent, i == 0 ? 1 : 0); /* the rest is not looked at */
    }
    usleep(200000);
    struct ibv_async_event e;
    say(" event %s", event(&b, &e) && e.event_type == IBV_EVENT_CQ_ERR && e.element.cq == b.received ? "CQ_ERR" : "none");
    completions("b", b.received, 7);
}

static void misaligned_atomic(void)
{
    pair();
    int error = ask(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 8, (uintptr_t)b.memory + 4, b.mr->rkey);
    if (error)
        say(" refused: %s", strerrorname_np(error));
    else
        both(1, 0);
}

static void own_atomic(void)
{
    int wrong = 0;
    pair();
    volatile uint64_t *there = (void *)(b.memory + 8);
    for (int i = 0; i < 300; i++) {
        struct ibv_wc wc;
        *there = i;
        ask(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, i, 8, (uintptr_t)there, b.mr->rkey);
        while (ibv_poll_cq(a.sent, 1, &wc) == 0)
            ;
        wrong += *there != (uint64_t)i; /* what is added is 0 */
        *there = 0;
        wrong += *there != 0;
    }
    say(" %d wrong", wrong);
}

static const char *name(int error)
{
    return error == 0 ? "0" : strerrorname_np(error < 0 ? errno : error);
}

static void limits(void)
{
    pair();
    struct ibv_device_attr d;
    ibv_query_device(a.context, &d);
    errno = 0;
    say(" cq of 0: %s", ibv_create_cq(a.context, 0, NULL, NULL, 0) ? "made" : name(-1));
    say(", of too many: %s", ibv_create_cq(a.context, d.max_cqe + 1, NULL, NULL, 0) ? "made" : name(-1));
    say(", of a vector that is not there: %s", ibv_create_cq(a.context, 8, NULL, NULL, 1000) ? "made" : name(-1));
    struct ibv_qp_init_attr init = {.send_cq = a.sent, .recv_cq = a.sent, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = d.max_qp_wr + 1, .max_send_sge = 1}};
    say("; qp of too many requests: %s", ibv_create_qp(a.pd, &init) ? "made" : name(-1));
    init.cap = (struct ibv_qp_cap){.max_send_wr = 1, .max_send_sge = d.max_sge + 1};
    say(", of too many pieces: %s", ibv_create_qp(a.pd, &init) ? "made" : name(-1));
    say("; mr that others may write and the program may not: %s",
        ibv_reg_mr(a.pd, a.memory, 64, IBV_ACCESS_REMOTE_WRITE) ? "made" : name(-1));
}

static void in_use(void)
{
    pair();
    say(" pd: %s", name(ibv_dealloc_pd(a.pd)));
    say(", cq: %s", name(ibv_destroy_cq(a.sent)));
    struct ibv_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 1}};
    struct ibv_srq *srq = ibv_create_srq(a.pd, &init);
    struct ibv_qp_init_attr of = {.send_cq = a.sent, .recv_cq = a.sent, .srq = srq, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = 1, .max_send_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(a.pd, &of);
    need(qp != NULL, "ibv_create_qp with a shared queue");
    say(", srq: %s", name(ibv_destroy_srq(srq)));
    say(", then %s", name(ibv_destroy_qp(qp) ? errno : ibv_destroy_srq(srq)));
}

static void states(void)
{
    open_end(&a);
    make_qp(&a, 64, DEPTH);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .port_num = 1};
    say(" RESET to RTS: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE)));
    say(", receive in RESET: %s", name(receive(&a, 1, 64)) );
    attr.qp_state = IBV_QPS_INIT;
    say(", INIT without a port: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS)));
    attr.port_num = 2;
    say(", of port 2: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)));
    initialise(&a, all_rights);
    say(", send in INIT: %s", name(ask_there(&a, &a, IBV_WR_SEND, 1, 64)));
    attr.qp_state = IBV_QPS_RTR;
    say(", RTR with nothing said: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE)));
    connect_to(&a, a.qp->qp_num, patient);
    attr.qp_state = IBV_QPS_INIT;
    say(", RTS to INIT: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)));
    attr.qp_state = IBV_QPS_RTS;
    attr.cur_qp_state = IBV_QPS_RTR;
    say(", of another present state: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE)));
    attr.qp_state = IBV_QPS_ERR;
    say(", to ERR: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE)));
    attr.qp_state = IBV_QPS_RTS;
    say(", ERR to RTS: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE)));
    attr.qp_state = IBV_QPS_RESET;
    say(", to RESET: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE)));
    /* A device that waits to see each state misses some, and must answer nevertheless. */
    for (int round = 0; round < 300; round++) {
        initialise(&a, all_rights);
        connect_to(&a, a.qp->qp_num, patient);
        attr.qp_state = IBV_QPS_RESET;
        need(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), "RESET");
    }
}

static void full(void)
{
    pair();
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int sends = 0, receives = 0, error;
    ibv_query_qp(a.qp, &attr, IBV_QP_CAP, &init);
    /* Nothing is received at b, so nothing is over at a. */
    while (!(error = ask_there(&a, &b, IBV_WR_SEND, 1, 8)) && sends < 100000)
        sends++;
    say(" sends: %s after %s", name(error), sends == (int)attr.cap.max_send_wr ? "as many as it has" : "others");
    while (!(error = receive(&a, 1, 8)) && receives < 100000)
        receives++;
    say(", receives: %s after %s", name(error), receives == (int)attr.cap.max_recv_wr ? "as many as it has" : "others");
}

static void query_does_not_wait(void)
{
    pair();
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    ask_there(&a, &b, IBV_WR_SEND, 1, 8); /* no receive, sent again without end */
    double begun = now();
    ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init);
    say(" %s, %s", now() - begun < 1 ? "at once" : "late", attr.qp_state == IBV_QPS_RTS ? "RTS" : "not RTS");
}

/* Both ends are busy for the whole time. */
static void query_under_load(void)
{
    pair();
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int late = 0, all = 0;
    for (int i = 0; i < 500; i++) {
        struct ibv_wc wc;
        while (ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, LENGTH) == 0 && ask_there(&b, &a, IBV_WR_RDMA_READ, 1, LENGTH) == 0)
            ;
        double begun = now();
        all += !ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_RTS;
        late += now() - begun > 0.5;
        while (ibv_poll_cq(a.sent, 1, &wc) == 1 || ibv_poll_cq(b.sent, 1, &wc) == 1)
            ;
    }
    say(" of 500, %d say RTS, %d late", all, late);
}

/* A queue of the largest size of which a ring of a power of two holds one less. */
static void overrun_of_a_thousand(void)
{
    enum { ROOM = 1023, SENT = 1100 };
    int good = 0, sent = 0;
    open_end(&a);
    open_end(&b);
    make_qp(&a, 64, DEPTH);
    make_qp(&b, ROOM, DEPTH);
    initialise(&a, all_rights);
    initialise(&b, all_rights);
    connect_to(&a, b.qp->qp_num, patient);
    connect_to(&b, a.qp->qp_num, patient);
    for (uint64_t i = 0; i < SENT; i++) {
        struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};
        receive(&b, i, 8);
        ask_there(&a, &b, IBV_WR_SEND, 1, 8);
        for (double since = now(); ibv_poll_cq(a.sent, 1, &wc) == 0 && now() - since < 0.5;)
            ;
        if (wc.status != IBV_WC_SUCCESS)
            break;
        sent++;
    }
    struct ibv_async_event e;
    say(" %s", sent >= ROOM ? "as many as there is room for" : "fewer");
    say(" event %s", event(&b, &e) && e.event_type == IBV_EVENT_CQ_ERR && e.element.cq == b.received ? "CQ_ERR" : "none");
    struct ibv_wc wc;
    while (good < ROOM && ibv_poll_cq(b.received, 1, &wc) == 1 && wc.wr_id == (uint64_t)good && wc.status == IBV_WC_SUCCESS)
        good++;
    say(" b[%s]", good == ROOM ? "all of these" : "not all");
}

#include "services.h"
#include "queues.h"

static const struct probe {
    const char *name;
    void (*run)(void);
} probes[] = {
#define PROBE(name) {#name, name}
    PROBE(good), PROBE(bad_rkey), PROBE(bad_rkey_of_read), PROBE(beyond_the_region), PROBE(no_right_of_the_queue_pair),
    PROBE(other_protection_domain), PROBE(bad_lkey), PROBE(bad_lkey_of_receive), PROBE(too_long), PROBE(not_ready),
    PROBE(ready_in_time), PROBE(nobody_there), PROBE(destroyed), PROBE(in_error), PROBE(killed), PROBE(dying), PROBE(overrun), PROBE(overrun_of_a_thousand),
    PROBE(misaligned_atomic), PROBE(own_atomic), PROBE(limits), PROBE(in_use), PROBE(states), PROBE(full),
    PROBE(query_does_not_wait), PROBE(query_under_load), PROBE(uc_good), PROBE(uc_read), PROBE(uc_bad_rkey), PROBE(uc_no_receive),
    PROBE(uc_no_right_of_the_queue_pair), PROBE(uc_too_long), PROBE(uc_bad_lkey), PROBE(uc_bad_lkey_of_receive),
    PROBE(uc_in_error), PROBE(uc_destroyed), PROBE(uc_states), PROBE(window_good), PROBE(window_beyond),
    PROBE(window_without_the_right), PROBE(window_unbound), PROBE(window_bound_anew), PROBE(window_of_nothing),
    PROBE(window_of_a_region_that_may_not), PROBE(window_in_use), PROBE(window_by_the_wrong_call), PROBE(second_window_good),
    PROBE(second_window_invalidated_here), PROBE(second_window_invalidated_there), PROBE(second_window_bound_twice),
    PROBE(second_window_bound_after_it_was_invalidated), PROBE(second_window_zero_based),
    PROBE(second_window_of_another_queue_pair), PROBE(bad_key_invalidated), PROBE(bad_key_invalidated_there), PROBE(atomic_write),
    PROBE(xrc_good), PROBE(xrc_no_such_queue), PROBE(xrc_queue_of_another_domain), PROBE(xrc_in_use),
    PROBE(xrc_queue_of_another_process), PROBE(sqd_good), PROBE(sqd_receives), PROBE(sqd_draining), PROBE(sqd_fails), PROBE(sqd_unannounced),
    PROBE(sqd_error), PROBE(sqd_states), PROBE(sqd_ud), PROBE(sqe_uc), PROBE(sqe_ud), PROBE(ud_flushed), PROBE(ud_flushed_behind), PROBE(group_good), PROBE(group_of_nobody),
    PROBE(group_of_the_sender), PROBE(group_of_many), PROBE(group_header), PROBE(group_with_another_key), PROBE(group_limits), PROBE(shared_resized),
    PROBE(shared_resized_to_less), PROBE(shared_limit), PROBE(shared_ud),
};

/* A probe has a process of its own, which may hang or end as it likes. */
static void run(const struct probe *p)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        alarm(20);
        p->run();
        printf("%s:%s\n", p->name, line);
        fflush(stdout);
        _exit(0);
    }
    int how;
    waitpid(child, &how, 0);
    kill(-child, SIGKILL);
    if (WIFSIGNALED(how))
        printf("%s: %s\n", p->name, WTERMSIG(how) == SIGALRM ? "hangs" : strsignal(WTERMSIG(how)));
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--gid") == 0) {
        gid_index = atoi(argv[2]);
        first = 3;
    }
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        int wanted = first >= argc;
        for (int k = first; k < argc; k++)
            wanted |= strcmp(argv[k], probes[i].name) == 0;
        if (wanted)
            run(&probes[i]);
    }
    return 0;
}
