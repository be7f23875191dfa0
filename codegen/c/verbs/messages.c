/* Messages and the receives that they take, errors, and queue pairs that are made anew.
 *
 * A test with messages, or one that breaks its queue pairs, leaves them as no other iteration may find them: in error, or with receives
 * that nobody has used. So they are reset after each of its iterations, when everything that goes on by itself has been given time, and connected
 * again: with ends that have receives of their own, or with those that share them, as the test asks for. */
#define _GNU_SOURCE
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Milliseconds for requests that nobody answers. */
enum { PATIENCE = 100 };
/* Milliseconds for what is on its way when everything else has been done. */
static const double LATE = 0.2;

static int uses(const struct litmpi_test *test, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = test && test->uses ? test->uses : NULL; at && (at = strstr(at, name)); at += length)
        if (at[-1] == ' ' && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

int litmpi_uses_any(const struct litmpi_test *test, const char *beginning)
{
    for (const char *at = test && test->uses ? test->uses : NULL; at && (at = strstr(at, beginning)); at++)
        if (at[-1] == ' ')
            return 1;
    return 0;
}

int litmpi_has_messages(void)
{
    static const char *const names[] = {"send", "send_value", "write_with_imm", "write_value_with_imm", "post_recv",
                                        "post_srq_recv", "unreliable", "bind_window", "modify_qp", "modify_recv_qp", "write_astray", "write_from_astray"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uses(litmpi_current, names[i]))
            return 1;
    return 0;
}

int litmpi_shares_receives(void)
{
    return uses(litmpi_current, "post_srq_recv");
}

int litmpi_is_unreliable(void)
{
    return uses(litmpi_current, "unreliable");
}

static int any_uses(const char *name)
{
    for (int i = 0; i < litmpi_test_count; i++)
        if (uses(litmpi_tests[i], name))
            return 1;
    return 0;
}

int litmpi_any_shares_receives(void)
{
    return any_uses("post_srq_recv");
}

int litmpi_any_is_unreliable(void)
{
    return any_uses("unreliable");
}

int litmpi_any_binds(void)
{
    return any_uses("bind_window");
}

static int kind(void)
{
    if (litmpi_is_unreliable())
        return LITMPI_UNRELIABLE_RECEIVES;
    return litmpi_shares_receives() ? LITMPI_SHARED_RECEIVES : LITMPI_OWN_RECEIVES;
}

/* ---- queue pairs made anew ---- */

static void reset(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
    if (qp && ibv_modify_qp(qp, &attr, IBV_QP_STATE))
        litmpi_call_failed("ibv_modify_qp to RESET");
}

static void empty(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    while (cq && ibv_poll_cq(cq, 1, &wc) > 0)
        ;
}

/* Threads of a node in the test. */
static int threads_of(int node)
{
    int n = 0;
    for (int t = 0; t < litmpi_current->threads; t++)
        n += litmpi_current->thread[t].node == node;
    return n;
}

void litmpi_messages_rest(void)
{
    int takes_events = uses(litmpi_current, "await_drained");
    for (int n = 0; n < litmpi_current->nodes; n++) {
        for (int t = 0; n != litmpi_me && t < threads_of(litmpi_me); t++) {
            struct litmpi_queue *q = litmpi_asking(t, n);
            reset(q->qp);
            empty(q->cq);
            q->outstanding = q->fence = q->used = q->silent = q->is_unreliable = 0;
        }
        for (int t = 0; n != litmpi_me && t < threads_of(n); t++) {
            struct litmpi_answer *answer = &HERE.answers[kind()][t][n];
            reset(answer->qp);
            empty(answer->received);
        }
    }
    /* One that was drained when nobody waited any more is not the next iteration's. */
    while (takes_events && litmpi_take_event())
        ;
    for (int t = 0; t < LITMPI_THREADS; t++)
        for (int n = 0; n < litmpi_current->nodes; n++)
            HERE.asks[litmpi_is_unreliable()][t][n].drained = 0;
}

void litmpi_messages_restore(void)
{
    for (int n = 0; n < litmpi_current->nodes; n++) {
        const struct litmpi_host *host = &litmpi_shared->host[n];
        for (int t = 0; n != litmpi_me && t < threads_of(litmpi_me); t++) {
            litmpi_initialise(litmpi_asking(t, n)->qp);
            litmpi_connect(litmpi_asking(t, n)->qp, host, host->answers[kind()][t][litmpi_me].qpn);
        }
        for (int t = 0; n != litmpi_me && t < threads_of(n); t++) {
            litmpi_initialise(HERE.answers[kind()][t][n].qp);
            litmpi_connect(HERE.answers[kind()][t][n].qp, host, host->asks[litmpi_is_unreliable()][t][litmpi_me].qpn);
        }
    }
}

/* What an earlier test has left is its own affair: those that ask are connected with the others ends, if need be. */
void litmpi_messages_begin(void)
{
    static _Thread_local int connected; /* kind of answers, and whether without retries */
    int wanted = kind() | litmpi_entry.no_rnr_retry << 2, mine = litmpi_me < litmpi_current->nodes;
    int anew = litmpi_has_messages() || connected;
    if (mine && anew)
        litmpi_messages_rest();
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, !mine);
    if (mine && anew)
        litmpi_messages_restore();
    connected = wanted;
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, !mine);
}

static int is_drained(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    return litmpi_has_messages() && !ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) && attr.qp_state == IBV_QPS_SQD;
}

/* Everything that the thread asked for towards the node is given time to be done; in error, it is flushed soon. */
void litmpi_messages_drain(int node)
{
    struct litmpi_queue *q = litmpi_asking(litmpi_local, node);
    struct ibv_wc wc;
    double since = litmpi_now();
    if (is_drained(q->qp)) {
        litmpi_query(q->qp); /* what it keeps never goes */
        return;
    }
    if (!litmpi_is_unreliable())
        litmpi_post_read(node);
    for (long polls = 0; q->outstanding > 0 && litmpi_now() - since < PATIENCE;) {
        int n = ibv_poll_cq(q->cq, 1, &wc);
        if (n < 0)
            litmpi_call_failed("ibv_poll_cq");
        q->outstanding -= n;
        if (n == 0)
            litmpi_relax(&polls);
    }
    if (q->outstanding == 0)
        litmpi_query(q->qp);
    /* What is on its way over an unreliable connection nobody hears of. */
    since = litmpi_now();
    for (long polls = 0; litmpi_is_unreliable() && litmpi_now() - since < LATE;)
        litmpi_relax(&polls);
}

/* ---- messages ---- */

static void post(int node, enum ibv_wr_opcode plain, enum ibv_wr_opcode with_imm, const int *from, int immediate,
                 unsigned length, struct ibv_send_wr *wr)
{
    wr->opcode = immediate == LITMPI_NO_IMMEDIATE ? plain : with_imm;
    wr->imm_data = htonl((uint32_t)immediate);
    litmpi_post_request(wr, node, from, length * LITMPI_BYTES);
}

void litmpi_send(int node, const int *from, int immediate, int length)
{
    struct ibv_send_wr wr = {0};
    post(litmpi_node_of(node), IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, from, immediate, (unsigned)length, &wr);
}

void litmpi_send_value(int node, int value, int immediate, int length)
{
    struct ibv_send_wr wr = {.send_flags = litmpi_entry.use_inline ? IBV_SEND_INLINE : 0u};
    post(litmpi_node_of(node), IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, litmpi_literal(value), immediate, (unsigned)length, &wr);
}

static void write_with_imm(struct litmpi_remote to, const int *from, int immediate, unsigned flags)
{
    int node = litmpi_node_of(to.node);
    struct ibv_send_wr wr = {.send_flags = flags};
    wr.wr.rdma.remote_addr = litmpi_address(node, to.block);
    wr.wr.rdma.rkey = litmpi_shared->host[node].rkey;
    post(node, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM, from, immediate, 1, &wr);
}

void litmpi_write_with_imm(struct litmpi_remote to, const int *from, int immediate)
{
    write_with_imm(to, from, immediate, 0);
}

void litmpi_write_value_with_imm(struct litmpi_remote to, int value, int immediate)
{
    write_with_imm(to, litmpi_literal(value), immediate, litmpi_entry.use_inline ? IBV_SEND_INLINE : 0u);
}

/* A write of one location to the place that a location of that number has, or would have, on the other node. */
static void write_at(int node, int number, const int *from)
{
    struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE};
    int n = litmpi_node_of(node);
    wr.wr.rdma.remote_addr = litmpi_address(n, number);
    wr.wr.rdma.rkey = litmpi_shared->host[n].rkey;
    litmpi_post_request(&wr, n, from, LITMPI_BYTES);
}

void litmpi_write_astray(int node)
{
    write_at(node, 100000, litmpi_literal(0));
}

void litmpi_write_from_astray(int node)
{
    write_at(node, 0, LITMPI_AT(100000));
}

/* ---- receives ---- */

/* This node's end of the queue pair of the thread with that number. */
static struct litmpi_answer *answer_of(int thread)
{
    for (int t = 0, local[LITMPI_NODES] = {0}; t < litmpi_current->threads; t++) {
        int node = litmpi_current->thread[t].node;
        if (litmpi_current->thread[t].number == thread && node != litmpi_me)
            return &HERE.answers[kind()][local[node]][node];
        local[node]++;
    }
    litmpi_fail("thread", "no such thread on another node");
    return NULL;
}

/* Where a receive goes: of a room that is not there, to memory that the key does not cover. */
static struct ibv_sge room_at(int *to, int room)
{
    void *at = room < 0 ? LITMPI_AT(100000) : to;
    return (struct ibv_sge){.addr = (uintptr_t)at, .length = (room < 0 ? 1 : (uint32_t)room) * LITMPI_BYTES, .lkey = HERE.mr->lkey};
}

void litmpi_post_recv(int thread, int *to, int room, int id)
{
    struct ibv_sge sge = room_at(to, room);
    struct ibv_recv_wr wr = {.wr_id = (uint64_t)id, .sg_list = &sge, .num_sge = room != 0}, *bad;
    errno = ibv_post_recv(answer_of(thread)->qp, &wr, &bad);
    if (errno)
        litmpi_call_failed("ibv_post_recv");
}

void litmpi_post_srq_recv(int *to, int room, int id)
{
    struct ibv_sge sge = room_at(to, room);
    struct ibv_recv_wr wr = {.wr_id = (uint64_t)id, .sg_list = &sge, .num_sge = room != 0}, *bad;
    errno = ibv_post_srq_recv(HERE.srq, &wr, &bad);
    if (errno)
        litmpi_call_failed("ibv_post_srq_recv");
}

void litmpi_receiver(int thread, struct litmpi_receiver *receiver)
{
    struct litmpi_answer *answer = thread ? answer_of(thread) : NULL;
    receiver->queue = answer ? (void *)answer->qp : HERE.srq;
    receiver->received = answer ? answer->received : NULL;
    receiver->lkey = HERE.mr->lkey;
}

int litmpi_wait_for(struct ibv_cq *cq, struct ibv_wc *wc)
{
    struct litmpi_polling polling = {0};
    for (;;) {
        int n = ibv_poll_cq(cq, 1, wc);
        if (n < 0)
            litmpi_call_failed("ibv_poll_cq");
        if (n > 0)
            return 1;
        if (!litmpi_poll_again(&polling))
            return 0;
    }
}

static void tell(int *where, int what)
{
    if (where)
        *where = what;
}

int litmpi_poll_recv(int thread, int *status, int *immediate, int *id, int *length)
{
    struct ibv_wc wc;
    if (!litmpi_wait_for(answer_of(thread)->received, &wc))
        return 0;
    int good = wc.status == IBV_WC_SUCCESS, with_imm = good && (wc.wc_flags & IBV_WC_WITH_IMM);
    tell(status, (int)wc.status);
    tell(immediate, with_imm ? (int)ntohl(wc.imm_data) : LITMPI_NO_IMMEDIATE);
    tell(id, (int)wc.wr_id);
    tell(length, good ? (int)(wc.byte_len / LITMPI_BYTES) : 0);
    return 1;
}

/* ---- types, windows and errors ---- */

/* The window stays bound to what it was: nobody uses its key. */
void litmpi_bind_window(int node)
{
    struct litmpi_queue *q = litmpi_asking(litmpi_local, litmpi_node_of(node));
    struct ibv_mw_bind bind = {.send_flags = IBV_SEND_SIGNALED};
    bind.bind_info = (struct ibv_mw_bind_info){.mr = HERE.mr, .addr = (uintptr_t)LITMPI_AT(0), .length = LITMPI_BYTES,
                                               .mw_access_flags = IBV_ACCESS_REMOTE_READ};
    if (!q->window && !(q->window = ibv_alloc_mw(HERE.pd, IBV_MW_TYPE_1)))
        litmpi_call_failed("ibv_alloc_mw");
    q->used = 1;
    errno = ibv_bind_mw(q->qp, q->window, &bind);
    if (errno)
        litmpi_call_failed("ibv_bind_mw");
    q->outstanding++;
}

void litmpi_unreliable(int node)
{
    litmpi_asking(litmpi_local, litmpi_node_of(node))->is_unreliable = 1;
}

int litmpi_poll_cq(int node, int *status)
{
    struct litmpi_queue *q = litmpi_asking(litmpi_local, litmpi_node_of(node));
    struct ibv_wc wc;
    if (!litmpi_wait_for(q->cq, &wc))
        return 0;
    q->outstanding--;
    tell(status, (int)wc.status);
    return 1;
}

void litmpi_modify(struct ibv_qp *qp, int state)
{
    struct ibv_qp_attr attr = {.qp_state = (enum ibv_qp_state)state, .en_sqd_async_notify = 1};
    errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | (state == IBV_QPS_SQD ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0));
    if (errno)
        litmpi_call_failed("ibv_modify_qp");
}

/* Events of the context are all threads': who finds one marks the queue pair that it is of. */
static void mark_drained(const struct ibv_qp *qp)
{
    for (int t = 0; t < LITMPI_THREADS; t++) {
        if (HERE.datagrams[t].qp == qp)
            atomic_store(&HERE.datagrams[t].drained, 1);
        for (int n = 0; n < litmpi_nodes; n++)
            for (int k = 0; k < LITMPI_ASKS; k++)
                if (HERE.asks[k][t][n].qp == qp)
                    atomic_store(&HERE.asks[k][t][n].drained, 1);
    }
}

/* Takes an event, if there is one; whether there was. */
int litmpi_take_event(void)
{
    struct ibv_async_event event;
    int fd = HERE.context->async_fd;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    if (ibv_get_async_event(HERE.context, &event))
        return 0;
    if (event.event_type == IBV_EVENT_SQ_DRAINED)
        mark_drained(event.element.qp);
    ibv_ack_async_event(&event);
    return 1;
}

int litmpi_wait_for_drained(atomic_int *drained)
{
    struct litmpi_polling polling = {0};
    for (;;) {
        if (atomic_exchange(drained, 0))
            return 1;
        if (!litmpi_take_event() && !litmpi_poll_again(&polling))
            return 0;
    }
}

int litmpi_await_drained(int node)
{
    return litmpi_wait_for_drained(&litmpi_asking(litmpi_local, litmpi_node_of(node))->drained);
}

void litmpi_modify_qp(int node, int state)
{
    litmpi_modify(litmpi_asking(litmpi_local, litmpi_node_of(node))->qp, state);
}

void litmpi_modify_recv_qp(int thread, int state)
{
    litmpi_modify(answer_of(thread)->qp, state);
}
