/* Datagrams: each thread of a test has a queue pair for them.
 *
 * A datagram of one iteration must not be received in the next. Queue pairs are reset after each, as those of tests with messages are; and
 * since an unreliable network may bring a datagram any time later, each iteration has a Q_Key of its own: one that comes late has the
 * wrong one, and is dropped. */
#define _GNU_SOURCE
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* Bytes before the data of a receive, for a routing header. */
enum { HEADER = 40 };
/* Milliseconds for datagrams that are on their way when everything else has been done. */
static const double LATE = 0.2;

int litmpi_has_datagrams(void)
{
    return litmpi_uses_any(litmpi_current, "ud_");
}

static int any_has_datagrams(void)
{
    for (int i = 0; i < litmpi_test_count; i++)
        if (litmpi_uses_any(litmpi_tests[i], "ud_"))
            return 1;
    return 0;
}

/* ---- queue pairs ---- */

void litmpi_datagrams_open(int threads)
{
    if (!any_has_datagrams())
        return;
    HERE.header_mr = ibv_reg_mr(HERE.pd, HERE.header, sizeof HERE.header, IBV_ACCESS_LOCAL_WRITE);
    if (!HERE.header_mr)
        litmpi_call_failed("ibv_reg_mr");
    for (int t = 0; t < threads; t++) {
        struct litmpi_datagrams *d = &HERE.datagrams[t];
        struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_UD};
        d->sent = ibv_create_cq(HERE.context, LITMPI_DEPTH, NULL, NULL, 0);
        d->received = ibv_create_cq(HERE.context, 2 * LITMPI_RECEIVES, NULL, NULL, 0);
        if (!d->sent || !d->received)
            litmpi_call_failed("ibv_create_cq");
        init.send_cq = d->sent;
        init.recv_cq = d->received;
        init.cap = (struct ibv_qp_cap){.max_send_wr = LITMPI_DEPTH, .max_recv_wr = LITMPI_RECEIVES, .max_send_sge = 1, .max_recv_sge = 2,
                                       .max_inline_data = LITMPI_BYTES};
        d->qp = ibv_create_qp(HERE.pd, &init);
        if (!d->qp)
            litmpi_call_failed("ibv_create_qp for datagrams");
        litmpi_shared->host[litmpi_me].datagrams[t].qpn = d->qp->qp_num;
    }
}

/* A node's address is known once it has opened its device. */
void litmpi_datagrams_address(void)
{
    for (int n = 0; HERE.header_mr && n < litmpi_nodes; n++) {
        struct ibv_ah_attr attr = {0};
        litmpi_path_to(&attr, &litmpi_shared->host[n]);
        HERE.address[n] = ibv_create_ah(HERE.pd, &attr);
        if (!HERE.address[n])
            litmpi_call_failed("ibv_create_ah");
    }
}

/* Not the one of the last iteration; the highest bit is for keys that the queue pair has itself. */
static uint32_t key_of(long iteration)
{
    return 0x11111111u + (uint32_t)(iteration & 0xffffff);
}

static void modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int state, int mask)
{
    attr->qp_state = (enum ibv_qp_state)state;
    if (ibv_modify_qp(qp, attr, IBV_QP_STATE | mask))
        litmpi_call_failed("ibv_modify_qp of a queue pair for datagrams");
}

static void empty(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    while (ibv_poll_cq(cq, 1, &wc) > 0)
        ;
}

/* Whether the calling thread has a queue pair for datagrams in this test. */
static int takes_part(void)
{
    return litmpi_self < litmpi_current->threads && litmpi_has_datagrams();
}

void litmpi_datagrams_begin(long iteration)
{
    struct ibv_qp_attr attr = {.port_num = 1, .qkey = key_of(iteration)};
    struct ibv_qp *qp = HERE.datagrams[litmpi_local].qp;
    if (!takes_part())
        return;
    modify(qp, &attr, IBV_QPS_RESET, 0);
    modify(qp, &attr, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
    modify(qp, &attr, IBV_QPS_RTR, 0);
    modify(qp, &attr, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

void litmpi_datagrams_rest(void)
{
    struct litmpi_datagrams *d = &HERE.datagrams[litmpi_local];
    struct ibv_qp_attr attr = {0};
    if (!takes_part())
        return;
    modify(d->qp, &attr, IBV_QPS_RESET, 0);
    atomic_store(&d->drained, 0);
    empty(d->sent);
    empty(d->received);
}

/* Datagrams that were sent have arrived, or never do: the device is asked, and a network is given time. */
void litmpi_datagrams_drain(void)
{
    struct litmpi_datagrams *d = &HERE.datagrams[litmpi_local];
    if (!takes_part())
        return;
    litmpi_query(d->qp);
    double since = litmpi_now();
    for (long polls = 0; litmpi_now() - since < LATE;)
        litmpi_relax(&polls);
}

/* ---- what tests ask for ---- */

static struct litmpi_datagrams *mine(void)
{
    return &HERE.datagrams[litmpi_local];
}

/* The thread of this number: its node, and which of that node's it is. */
static void find(int thread, int *node, int *local)
{
    int threads[LITMPI_NODES] = {0};
    for (int t = 0; t < litmpi_current->threads; t++) {
        *node = litmpi_current->thread[t].node;
        *local = threads[*node]++;
        if (litmpi_current->thread[t].number == thread)
            return;
    }
    litmpi_fail("thread", "no such thread");
}

static void post(int thread, const int *from, int immediate, int length, unsigned flags)
{
    struct litmpi_destination to;
    struct ibv_sge sge = {.addr = (uintptr_t)from, .length = (uint32_t)length * LITMPI_BYTES, .lkey = HERE.mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED | flags}, *bad;
    litmpi_destination(thread, &to);
    wr.opcode = immediate == LITMPI_NO_IMMEDIATE ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
    wr.imm_data = htonl((uint32_t)immediate);
    wr.wr.ud.ah = to.address;
    wr.wr.ud.remote_qpn = to.number;
    wr.wr.ud.remote_qkey = to.key;
    errno = ibv_post_send(mine()->qp, &wr, &bad);
    if (errno)
        litmpi_call_failed("ibv_post_send of a datagram");
}

void litmpi_ud_send(int thread, const int *from, int immediate, int length)
{
    post(thread, from, immediate, length, 0);
}

void litmpi_ud_send_value(int thread, int value, int immediate, int length)
{
    post(thread, litmpi_literal(value), immediate, length, litmpi_entry.use_inline ? IBV_SEND_INLINE : 0u);
}

void litmpi_ud_send_from_astray(int thread)
{
    post(thread, LITMPI_AT(100000), LITMPI_NO_IMMEDIATE, 1, 0);
}

void litmpi_ud_post_recv(int *to, int room, int id)
{
    struct ibv_sge sge[2] = {{.addr = (uintptr_t)HERE.header, .length = HEADER, .lkey = HERE.header_mr->lkey},
                             {.addr = (uintptr_t)to, .length = (uint32_t)room * LITMPI_BYTES, .lkey = HERE.mr->lkey}};
    struct ibv_recv_wr wr = {.wr_id = (uint64_t)id, .sg_list = sge, .num_sge = 1 + (room > 0)}, *bad;
    errno = ibv_post_recv(mine()->qp, &wr, &bad);
    if (errno)
        litmpi_call_failed("ibv_post_recv for a datagram");
}

int litmpi_ud_poll(int *status)
{
    struct ibv_wc wc;
    if (!litmpi_wait_for(mine()->sent, &wc))
        return 0;
    if (status)
        *status = (int)wc.status;
    else if (wc.status != IBV_WC_SUCCESS)
        litmpi_fail("error", litmpi_status_name(wc.status));
    return 1;
}

/* A test that does not ask for the status counts on success. */
static void tell(const struct ibv_wc *wc, int *status, int *immediate, int *id, int *length)
{
    int good = wc->status == IBV_WC_SUCCESS;
    if (status)
        *status = (int)wc->status;
    else if (!good)
        litmpi_fail("error", litmpi_status_name(wc->status));
    if (immediate)
        *immediate = good && wc->wc_flags & IBV_WC_WITH_IMM ? (int)ntohl(wc->imm_data) : LITMPI_NO_IMMEDIATE;
    if (id)
        *id = (int)wc->wr_id;
    if (length)
        *length = good ? (int)((wc->byte_len - HEADER) / LITMPI_BYTES) : 0;
}

int litmpi_ud_poll_recv(int *status, int *immediate, int *id, int *length)
{
    struct ibv_wc wc;
    if (!litmpi_wait_for(mine()->received, &wc))
        return 0;
    tell(&wc, status, immediate, id, length);
    return 1;
}

void litmpi_ud_try_recv(int *found, int *immediate, int *id)
{
    struct ibv_wc wc;
    int n = ibv_poll_cq(mine()->received, 1, &wc);
    if (n < 0)
        litmpi_call_failed("ibv_poll_cq");
    if (found)
        *found = n;
    if (n > 0)
        tell(&wc, NULL, immediate, id, NULL);
}

void litmpi_datagrams_own(struct litmpi_datagrams_own *own)
{
    struct litmpi_datagrams *d = mine();
    *own = (struct litmpi_datagrams_own){.qp = d->qp, .sent = d->sent, .received = d->received, .header = HERE.header,
                                         .header_bytes = HEADER, .header_key = HERE.header_mr->lkey, .lkey = HERE.mr->lkey};
}

void litmpi_destination(int thread, struct litmpi_destination *to)
{
    int node = 0, local = 0;
    find(thread, &node, &local);
    to->address = HERE.address[node];
    to->number = litmpi_shared->host[node].datagrams[local].qpn;
    to->key = key_of(atomic_load(&litmpi_iteration));
}

void litmpi_ud_modify_qp(int state)
{
    litmpi_modify(mine()->qp, state);
}

int litmpi_ud_await_drained(void)
{
    return litmpi_wait_for_drained(&mine()->drained);
}
