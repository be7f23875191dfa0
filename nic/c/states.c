/* The states of queue pairs: which follows which, and what has to be told for it (InfiniBand vol. 1 §10.3.1, table 96). */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <sched.h>

/* What a step needs, and what else may come with it, of a connected queue pair and of one for datagrams. An unreliable connection has
 * nothing of what a reliable one needs for answers, and for sending again. */
struct step {
    enum ibv_qp_state from, to;
    int needs, may, datagrams_need, datagrams_may;
};

enum {
    RELIABLE = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
               IBV_QP_MAX_QP_RD_ATOMIC
};

#define PATH (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)

static const struct step steps[] = {
    {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0,
     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, 0},
    {IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0,
     IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
    {IBV_QPS_INIT, IBV_QPS_RTR,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
     IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {IBV_QPS_RTR, IBV_QPS_RTS,
     IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
     IBV_QP_CUR_STATE | PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER, IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY},
    {IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER, 0,
     IBV_QP_CUR_STATE | IBV_QP_QKEY},
    {IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY, 0, IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY},
    {IBV_QPS_SQD, IBV_QPS_SQD, 0,
     PATH | IBV_QP_AV | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
         IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
     0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
    {IBV_QPS_SQD, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER, 0,
     IBV_QP_CUR_STATE | IBV_QP_QKEY},
    /* Of a reliable connection nothing is in this state. */
    {IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS, 0, IBV_QP_CUR_STATE | IBV_QP_QKEY},
};

/* What connected queue pairs of a type are not told, of what those of reliable connections are: an end of an extended connection asks or
 * answers. */
static int left_out(enum ibv_qp_type type)
{
    switch (type) {
    case IBV_QPT_UC:
        return RELIABLE;
    case IBV_QPT_XRC_SEND:
        return IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    case IBV_QPT_XRC_RECV:
        return IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    default:
        return 0;
    }
}

/* Whether a step is one, with what is told for it; from every state a queue pair may fail or be reset. */
static int is_step(const struct ibv_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
    int told = mask & ~IBV_QP_STATE, is_for_datagrams = qp->qp_type == IBV_QPT_UD;
    if (to == IBV_QPS_RESET)
        return !(told & ~IBV_QP_CUR_STATE);
    if (to == IBV_QPS_ERR)
        return from != IBV_QPS_RESET && !(told & ~IBV_QP_CUR_STATE);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct step *s = &steps[i];
        int needs = is_for_datagrams ? s->datagrams_need : s->needs, may = is_for_datagrams ? s->datagrams_may : s->may;
        int leaves_out = left_out(qp->qp_type);
        needs &= ~leaves_out;
        may &= ~leaves_out;
        if (s->from == from && s->to == to)
            return (told & needs) == needs && !(told & ~(needs | may));
    }
    return 0;
}

/* Whether what is told can be. */
static int is_possible(const struct ibv_qp_attr *attr, int mask)
{
    if ((mask & IBV_QP_PORT && attr->port_num != 1) || (mask & IBV_QP_PKEY_INDEX && attr->pkey_index != 0))
        return 0;
    if ((mask & IBV_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > NIC_RD_ATOMICS) ||
        (mask & IBV_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > NIC_RD_ATOMICS))
        return 0;
    if ((mask & IBV_QP_TIMEOUT && attr->timeout > 31) || (mask & IBV_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
        (mask & IBV_QP_RETRY_CNT && attr->retry_cnt > 7) || (mask & IBV_QP_RNR_RETRY && attr->rnr_retry > 7))
        return 0;
    if (mask & IBV_QP_PATH_MTU && (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > IBV_MTU_4096))
        return 0;
    return !(mask & IBV_QP_AV) || !attr->ah_attr.is_global || attr->ah_attr.grh.sgid_index < NIC_GIDS;
}

/* Nanoseconds that a requester waits for an answer before it sends again: 4.096 µs · 2^timeout; 0 is for ever. */
static uint64_t answer_time(unsigned timeout)
{
    return timeout ? 4096ull << timeout : 0;
}

/* Nanoseconds that a requester is asked to wait when there is no receive (InfiniBand vol. 1 §9.7.5.2.8, table 45). */
static uint64_t not_ready_time(unsigned timer)
{
    static const unsigned hundredths[] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
                                          256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
    return hundredths[timer & 31] * 10000ull;
}

/* Waits until the device has the queue pair there. */
static void reach(struct nic_qp *q, uint64_t what)
{
    while (nic_get(q->at + NIC_QP_REACHED) != what)
        sched_yield();
}

/* Empties a queue pair that has been reset: to the device it is another one from then on. */
static void empty(struct nic_qp *q)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    struct nic_context *c = nic_context(q->qp.qp_base.context);
    const int counters[] = {NIC_QP_POSTED, NIC_QP_TAKEN, NIC_QP_DONE, NIC_QP_RETIRED, NIC_QP_URGENT, NIC_QP_RPOSTED, NIC_QP_RTAKEN,
                            NIC_QP_RRETIRED};
    reach(q, NIC_STILL + nic_get(q->at + NIC_QP_ALIVE));
    pthread_mutex_lock(&making);
    uint64_t generation = nic_get(c->region + NIC_GENERATION) + 1;
    nic_set(q->at + NIC_QP_ALIVE, generation);
    nic_set(c->region + NIC_GENERATION, generation);
    pthread_mutex_unlock(&making);
    reach(q, NIC_STILL + generation);
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++)
        nic_set(q->at + counters[i], 0);
}

/* Has the device drain the send queue, or begin again; it may have failed meanwhile. What is being drained does not go on. */
static int turn(struct nic_qp *q, enum ibv_qp_state to, int tells)
{
    enum ibv_qp_state now;
    if (to == IBV_QPS_SQD)
        nic_set(q->at + NIC_QP_TELLS, (uint64_t)tells);
    else if (nic_get(q->at + NIC_QP_DRAINING))
        return EINVAL;
    nic_set(q->at + NIC_QP_WANTED, (uint64_t)to);
    while (nic_get(q->at + NIC_QP_WANTED))
        sched_yield();
    now = (enum ibv_qp_state)nic_get(q->at + NIC_QP_STATE);
    q->qp.qp_base.state = now;
    return now == to ? 0 : EINVAL;
}

static void keep(struct nic_qp *q, const struct ibv_qp_attr *attr, int mask)
{
    if (mask & IBV_QP_DEST_QPN)
        nic_set(q->at + NIC_QP_DEST, attr->dest_qp_num);
    if (mask & IBV_QP_ACCESS_FLAGS)
        nic_set(q->at + NIC_QP_ACCESS, attr->qp_access_flags);
    if (mask & IBV_QP_QKEY)
        nic_set(q->at + NIC_QP_QKEY, attr->qkey);
    if (mask & IBV_QP_RNR_RETRY)
        nic_set(q->at + NIC_QP_RNR_RETRY, attr->rnr_retry);
    if (mask & IBV_QP_TIMEOUT)
        nic_set(q->at + NIC_QP_ANSWER_TIME, answer_time(attr->timeout));
    if (mask & IBV_QP_RETRY_CNT)
        nic_set(q->at + NIC_QP_RETRY, attr->retry_cnt);
    if (mask & IBV_QP_MIN_RNR_TIMER)
        nic_set(q->at + NIC_QP_RNR_TIME, not_ready_time(attr->min_rnr_timer));
#define KEEP(flag, field) \
    if (mask & flag)      \
        q->attr.field = attr->field
    KEEP(IBV_QP_DEST_QPN, dest_qp_num);
    KEEP(IBV_QP_ACCESS_FLAGS, qp_access_flags);
    KEEP(IBV_QP_PORT, port_num);
    KEEP(IBV_QP_PKEY_INDEX, pkey_index);
    KEEP(IBV_QP_QKEY, qkey);
    KEEP(IBV_QP_PATH_MTU, path_mtu);
    KEEP(IBV_QP_AV, ah_attr);
    KEEP(IBV_QP_RQ_PSN, rq_psn);
    KEEP(IBV_QP_SQ_PSN, sq_psn);
    KEEP(IBV_QP_TIMEOUT, timeout);
    KEEP(IBV_QP_RETRY_CNT, retry_cnt);
    KEEP(IBV_QP_RNR_RETRY, rnr_retry);
    KEEP(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
    KEEP(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
    KEEP(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
#undef KEEP
}

/* Limit: paths do not migrate. */
int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    enum ibv_qp_state now = (enum ibv_qp_state)nic_get(q->at + NIC_QP_STATE), to = mask & IBV_QP_STATE ? attr->qp_state : now;
    if (mask & IBV_QP_CUR_STATE && attr->cur_qp_state != now)
        return EINVAL;
    if (!is_step(qp, now, to, mask) || !is_possible(attr, mask))
        return EINVAL;
    keep(q, attr, mask);
    if (!(mask & IBV_QP_STATE))
        return 0;
    if (now != to && (to == IBV_QPS_SQD || (to == IBV_QPS_RTS && now != IBV_QPS_RTR)))
        return turn(q, to, mask & IBV_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify);
    if (now == to && now != IBV_QPS_INIT)
        return 0; /* the device says which of these it is in */
    qp->state = to;
    /* The device may not have run since this queue pair was reset the last time: what it said then does not hold any more. */
    if (to == IBV_QPS_RESET && now != IBV_QPS_RESET)
        nic_set(q->at + NIC_QP_REACHED, 0);
    nic_set(q->at + NIC_QP_STATE, (uint64_t)to);
    if (to == IBV_QPS_ERR && now != IBV_QPS_ERR) {
        reach(q, IBV_QPS_ERR);
        if (qp->srq)
            nic_event(nic_context(qp->context), IBV_EVENT_QP_LAST_WQE_REACHED, qp->handle);
    }
    if (to == IBV_QPS_RESET && now != IBV_QPS_RESET) {
        empty(q);
        nic_forget(qp->send_cq, qp->qp_num);
        nic_forget(qp->recv_cq, qp->qp_num);
    }
    return 0;
}
