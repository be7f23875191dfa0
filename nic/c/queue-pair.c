/* Queue pairs: made, asked, destroyed; what they may hold is checked here, their states in states.c. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* What a queue pair may not be made with: EOPNOTSUPP if the device never has it, EINVAL if it is too much of it. */
static int refused(const struct ibv_pd *pd, const struct nic_xrcd *xrcd, const struct ibv_qp_init_attr *init)
{
    const struct ibv_qp_cap *cap = &init->cap;
    int asks = init->qp_type != IBV_QPT_XRC_RECV, answers = init->qp_type != IBV_QPT_XRC_SEND;
    switch (init->qp_type) {
    case IBV_QPT_RC:
    case IBV_QPT_UC:
    case IBV_QPT_UD:
    case IBV_QPT_XRC_SEND:
    case IBV_QPT_XRC_RECV:
        break;
    default:
        return EOPNOTSUPP;
    }
    if ((asks && (!pd || !init->send_cq)) || (asks && answers && !init->recv_cq) || (!asks && !xrcd) || (!(asks && answers) && init->srq))
        return EINVAL;
    int is_too_much = cap->max_send_wr >= NIC_SENDS || cap->max_send_sge > NIC_SGES || cap->max_inline_data > NIC_INLINE ||
                      (!init->srq && (cap->max_recv_wr >= NIC_RECVS || cap->max_recv_sge > NIC_RECV_SGES));
    return is_too_much ? EINVAL : 0;
}

static void count(struct nic_qp *q, int by)
{
    struct ibv_qp *qp = &q->qp.qp_base;
    if (qp->pd)
        atomic_fetch_add(&((struct nic_pd *)qp->pd)->users, by);
    if (qp->send_cq)
        atomic_fetch_add(&((struct nic_cq *)qp->send_cq)->users, by);
    if (qp->recv_cq)
        atomic_fetch_add(&((struct nic_cq *)qp->recv_cq)->users, by);
    if (q->xrcd)
        atomic_fetch_add(&q->xrcd->users, by);
    if (qp->srq)
        atomic_fetch_add(&((struct nic_srq *)qp->srq)->users, by);
}

/* As devices do, one less than a power of two; `cap` says so. */
static unsigned room(unsigned n)
{
    return nic_ring(n + 1) - 1;
}

static struct ibv_qp *make_qp(struct ibv_context *context, struct ibv_pd *pd, struct nic_xrcd *xrcd, struct ibv_qp_init_attr *init)
{
    struct nic_context *c = nic_context(context);
    errno = refused(pd, xrcd, init);
    struct nic_qp *q = errno ? NULL : calloc(1, sizeof *q);
    if (!q)
        return NULL;
    struct ibv_qp_cap *cap = &init->cap;
    if (init->qp_type == IBV_QPT_XRC_SEND || init->qp_type == IBV_QPT_XRC_RECV)
        cap->max_recv_wr = cap->max_recv_sge = 0;
    if (xrcd)
        cap->max_send_wr = 0;
    q->xrcd = xrcd;
    cap->max_send_wr = room(cap->max_send_wr);
    cap->max_recv_wr = init->srq ? 0 : room(cap->max_recv_wr);
    cap->max_inline_data = NIC_INLINE;
    if (init->srq)
        cap->max_recv_sge = 0;
    q->sends = cap->max_send_wr;
    q->ring = nic_ring(q->sends + 1);
    unsigned receives = nic_ring(cap->max_recv_wr + 1);
    pthread_mutex_lock(&making);
    for (unsigned i = 0; i < NIC_QP_COUNT && !q->at; i++)
        if (!nic_get(nic_qp_at(c, i) + NIC_QP_ALIVE)) {
            if (nic_have(nic_qp_at(c, i) + NIC_QP_SEND_RING, (uint64_t)q->ring * NIC_WQE_WORDS) ||
                nic_have(nic_qp_at(c, i) + NIC_QP_RECV_RING, (uint64_t)receives * NIC_RECV_WORDS))
                break;
            q->at = nic_qp_at(c, i);
            for (int w = 0; w < NIC_QP_HEAD; w++)
                nic_set(q->at + w, 0);
            nic_set(q->at + NIC_QP_SEND_CQ, init->send_cq ? init->send_cq->handle : 0);
            nic_set(q->at + NIC_QP_RECV_CQ, init->recv_cq ? init->recv_cq->handle : 0);
            nic_set(q->at + NIC_QP_SRQ, init->srq ? init->srq->handle + 1 : 0);
            nic_set(q->at + NIC_QP_TYPE, init->qp_type);
            nic_set(q->at + NIC_QP_PD, pd ? pd->handle : 0);
            nic_set(q->at + NIC_QP_XRCD, xrcd ? xrcd->id : 0);
            nic_set(q->at + NIC_QP_SENDS, q->ring);
            nic_set(q->at + NIC_QP_RECVS, receives);
            nic_set(q->at + NIC_QP_ALIVE, nic_get(c->region + NIC_GENERATION) + 1);
            nic_set(c->region + NIC_GENERATION, nic_get(c->region + NIC_GENERATION) + 1);
            q->qp.qp_base.handle = i;
        }
    pthread_mutex_unlock(&making);
    if (!q->at) {
        free(q);
        errno = ENOMEM;
        return NULL;
    }
    struct ibv_qp *qp = &q->qp.qp_base;
    qp->context = context;
    qp->qp_context = init->qp_context;
    qp->pd = pd;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->srq = init->srq;
    qp->qp_num = (uint32_t)(c->number + 1) * NIC_QP_COUNT + qp->handle;
    qp->state = IBV_QPS_RESET;
    qp->qp_type = init->qp_type;
    pthread_mutex_init(&qp->mutex, NULL);
    pthread_cond_init(&qp->cond, NULL);
    q->init = *init;
    q->attr.cap = q->init.cap;
    pthread_spin_init(&q->send_lock, PTHREAD_PROCESS_PRIVATE);
    q->receives = (struct nic_receives){.posted = q->at + NIC_QP_RPOSTED,
                                        .over = q->at + NIC_QP_RRETIRED,
                                        .ring = q->at + NIC_QP_RECV_RING,
                                        .size = receives,
                                        .room = cap->max_recv_wr,
                                        .sges = cap->max_recv_sge};
    pthread_spin_init(&q->receives.lock, PTHREAD_PROCESS_PRIVATE);
    nic_set_wr_calls(&q->qp);
    count(q, 1);
    atomic_store(&c->qps[qp->handle], qp);
    return qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    return make_qp(pd->context, pd, NULL, init);
}

struct ibv_qp *nic_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init)
{
    const uint64_t datagrams = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
    const uint64_t unreliable = datagrams | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
                                IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW;
    const uint64_t reliable = unreliable | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
                              IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_ATOMIC_WRITE;
    uint64_t can = init->qp_type == IBV_QPT_UD ? datagrams : init->qp_type == IBV_QPT_UC ? unreliable : reliable;
    const uint32_t known = IBV_QP_INIT_ATTR_XRCD | IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    uint64_t asked = init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ? init->send_ops_flags : 0;
    if ((init->comp_mask & ~known) || (init->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS && init->create_flags) ||
        (asked & ~can)) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    /* The extended structure begins as the plain one does. */
    int answers = init->qp_type == IBV_QPT_XRC_RECV;
    struct nic_xrcd *xrcd = answers && init->comp_mask & IBV_QP_INIT_ATTR_XRCD ? (struct nic_xrcd *)init->xrcd : NULL;
    struct ibv_pd *pd = !answers && init->comp_mask & IBV_QP_INIT_ATTR_PD ? init->pd : NULL;
    return make_qp(context, pd, xrcd, (struct ibv_qp_init_attr *)init);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    return (struct ibv_qp_ex *)qp;
}

/* Waits until the queue pair has done everything, write-backs included; what a drained one keeps does not count. */
static void settle(struct nic_qp *q)
{
    uint64_t posted = nic_get(q->at + NIC_QP_POSTED);
    nic_set(q->at + NIC_QP_URGENT, nic_get(q->at + NIC_QP_STATE) == IBV_QPS_SQD);
    while (nic_get(q->at + NIC_QP_URGENT) && nic_get(q->at + NIC_QP_STATE) == IBV_QPS_SQD)
        sched_yield();
    while (nic_get(q->at + NIC_QP_DONE) < posted && nic_get(q->at + NIC_QP_STATE) == IBV_QPS_RTS) {
        nic_set(q->at + NIC_QP_URGENT, 1);
        sched_yield();
    }
}

/* Waits until what was posted is over by a word of the queue pair, for 100 ms at most: a device is faster than a program that sends and
 * goes. */
static void send_off(struct nic_qp *q, int word_of_it)
{
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    while (nic_get(q->at + word_of_it) < nic_get(q->at + NIC_QP_POSTED) && nic_get(q->at + NIC_QP_STATE) == IBV_QPS_RTS) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 >= 100)
            return;
        sched_yield();
    }
}

/* What is under way goes on, and the state is what it is by now. Who asks with NIC_SETTLE waits until nothing is. */
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    if (mask & NIC_SETTLE)
        settle(q);
    if (mask & NIC_SENT)
        send_off(q, NIC_QP_RETIRED);
    qp->state = (enum ibv_qp_state)nic_get(q->at + NIC_QP_STATE);
    *attr = q->attr;
    attr->qp_state = attr->cur_qp_state = qp->state;
    attr->sq_draining = qp->state == IBV_QPS_SQD && nic_get(q->at + NIC_QP_DRAINING);
    *init = q->init;
    return 0;
}

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
    (void)qp, (void)op, (void)flags;
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    if (nic_is_attached(q))
        return EBUSY;
    /* What was posted to an unreliable service is on its way then (mckey counts on it). */
    if (qp->qp_type == IBV_QPT_UD || qp->qp_type == IBV_QPT_UC)
        send_off(q, NIC_QP_DONE);
    nic_set(q->at + NIC_QP_ALIVE, 0);
    atomic_store(&nic_context(qp->context)->qps[qp->handle], NULL);
    nic_forget(qp->send_cq, qp->qp_num);
    nic_forget(qp->recv_cq, qp->qp_num);
    count(q, -1);
    free(qp);
    return 0;
}
