/* Channels, by which a completion queue wakes who waits for it, and receive queues that queue pairs share.
 *
 * A channel is a pipe with a name beside the region's file; the engine writes the number of a queue into it. So its descriptor can be
 * polled, and made one that does not block, as that of a real device. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- channels ---- */

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
    static atomic_uint last;
    struct nic_channel *channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->number = atomic_fetch_add(&last, 1) + 1;
    snprintf(channel->path, sizeof channel->path, "%s/%d.c%u", getenv("LITMPI_NIC"), nic_context(context)->number,
             channel->number);
    if (mkfifo(channel->path, 0600) || (channel->channel.fd = open(channel->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)) < 0) {
        free(channel);
        return NULL;
    }
    channel->channel.context = context;
    return &channel->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *c)
{
    struct nic_channel *channel = (struct nic_channel *)c;
    if (c->refcnt > 0)
        return EBUSY;
    close(c->fd);
    unlink(channel->path);
    free(channel);
    return 0;
}

int nic_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    word *at = ((struct nic_cq *)cq)->at;
    nic_set(at + NIC_CQ_ARMED, solicited_only ? NIC_ARMED_SOLICITED : NIC_ARMED);
    /* What completes after the caller's next look is told. */
    atomic_thread_fence(memory_order_seq_cst);
    /* What has completed since its last look, too, as devices do that are told with the request what the caller has seen:
     * programs rely on it that look first and ask then. */
    if (!solicited_only && cq->channel && nic_get(at + NIC_CQ_PRODUCED) != nic_get(at + NIC_CQ_CONSUMED) &&
        atomic_exchange(at + NIC_CQ_ARMED, 0)) {
        uint64_t number = cq->handle;
        ssize_t written = write(cq->channel->fd, &number, sizeof number);
        (void)written; /* a channel that is full wakes its reader anyway */
    }
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
    uint64_t number;
    struct nic_context *c = nic_context(channel->context);
    for (;;) {
        ssize_t got = read(channel->fd, &number, sizeof number);
        if (got != (ssize_t)sizeof number)
            return -1;
        *cq = number < NIC_CQ_COUNT ? atomic_load(&c->cqs[number]) : NULL;
        if (*cq)
            break; /* otherwise of a queue that has been destroyed */
    }
    *cq_context = (*cq)->cq_context;
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq, (void)n;
}

/* ---- receives ---- */

static int nic_receive(struct nic_receives *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    int error = 0;
    pthread_spin_lock(&q->lock);
    for (; wr && !error; wr = error ? wr : wr->next) {
        uint64_t posted = nic_get(q->posted);
        word *e = q->ring + (posted % q->size) * NIC_RECV_WORDS;
        error = wr->num_sge < 0 || (unsigned)wr->num_sge > q->sges ? EINVAL : posted - nic_get(q->over) >= q->room ? ENOMEM : 0;
        if (error)
            continue;
        nic_set(e + NIC_RECV_ID, wr->wr_id);
        nic_set(e + NIC_RECV_NSGE, (uint64_t)wr->num_sge);
        nic_sges(e + NIC_RECV_SGE, wr->sg_list, wr->num_sge);
        nic_set(q->posted, posted + 1);
    }
    pthread_spin_unlock(&q->lock);
    if (error)
        *bad = wr;
    return error;
}

int nic_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    int is_extended = qp->qp_type == IBV_QPT_XRC_SEND || qp->qp_type == IBV_QPT_XRC_RECV;
    if (!qp->srq && !is_extended && nic_get(q->at + NIC_QP_STATE) != IBV_QPS_RESET)
        return nic_receive(&q->receives, wr, bad);
    *bad = wr;
    return EINVAL;
}

int nic_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    return nic_receive(&((struct nic_srq *)srq)->receives, wr, bad);
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t made;
    struct nic_context *c = nic_context(pd->context);
    int is_good = init->attr.max_wr < NIC_RECVS && init->attr.max_sge <= NIC_RECV_SGES;
    struct nic_srq *q = is_good ? calloc(1, sizeof *q) : NULL;
    if (!q) {
        errno = is_good ? ENOMEM : EINVAL;
        return NULL;
    }
    unsigned most = nic_ring(init->attr.max_wr + 1) - 1;
    pthread_mutex_lock(&making);
    for (unsigned i = 0; i < NIC_SRQ_COUNT && !q->at; i++) {
        word *at = c->region + NIC_SRQS + (uint64_t)i * NIC_SRQ_WORDS;
        if (nic_get(at + NIC_SRQ_ALIVE))
            continue;
        if (nic_have(at, NIC_SRQ_WORDS))
            break;
        q->at = at;
        q->srq.handle = i;
        q->receives = (struct nic_receives){.posted = at + NIC_SRQ_POSTED,
                                            .over = at + NIC_SRQ_RETIRED,
                                            .ring = at + NIC_SRQ_RING,
                                            .size = NIC_RECVS, /* all that it may ever be resized to */
                                            .room = most,
                                            .sges = NIC_RECV_SGES};
        nic_set(q->receives.posted, 0);
        nic_set(q->receives.over, 0);
        nic_set(at + NIC_SRQ_TAKEN, 0);
        nic_set(at + NIC_SRQ_SIZE, NIC_RECVS);
        nic_set(at + NIC_SRQ_PD, pd->handle);
        nic_set(at + NIC_SRQ_LIMIT, 0);
        nic_set(at + NIC_SRQ_XRCD, 0);
        nic_set(at + NIC_SRQ_ALIVE, ++made);
    }
    pthread_mutex_unlock(&making);
    if (!q->at) {
        free(q);
        errno = ENOMEM;
        return NULL;
    }
    pthread_spin_init(&q->receives.lock, PTHREAD_PROCESS_PRIVATE);
    q->srq.context = pd->context;
    q->srq.srq_context = init->srq_context;
    q->srq.pd = pd;
    q->attr = init->attr = (struct ibv_srq_attr){.max_wr = most, .max_sge = NIC_RECV_SGES};
    atomic_fetch_add(&((struct nic_pd *)pd)->users, 1);
    atomic_store(&c->srqs[q->srq.handle], &q->srq);
    return &q->srq;
}

struct ibv_srq *nic_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *init)
{
    const uint32_t needs = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
    int is_plain = !(init->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || init->srq_type == IBV_SRQT_BASIC;
    int is_extended = !is_plain && init->srq_type == IBV_SRQT_XRC, has_all = is_plain || (init->comp_mask & needs) == needs;
    (void)context;
    if (!(is_plain || is_extended) || !(init->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !has_all) {
        errno = is_plain || is_extended ? EINVAL : EOPNOTSUPP; /* no tag matching */
        return NULL;
    }
    /* The extended structure begins as the plain one does. */
    struct ibv_srq *srq = ibv_create_srq(init->pd, (struct ibv_srq_init_attr *)init);
    struct nic_srq *q = (struct nic_srq *)srq;
    if (!srq || is_plain)
        return srq;
    q->xrcd = (struct nic_xrcd *)init->xrcd;
    q->cq = (struct nic_cq *)init->cq;
    atomic_fetch_add(&q->xrcd->users, 1);
    atomic_fetch_add(&q->cq->users, 1);
    nic_set(q->at + NIC_SRQ_CQ, init->cq->handle);
    nic_set(q->at + NIC_SRQ_XRCD, q->xrcd->id);
    return srq;
}

int nic_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
    if (!((struct nic_srq *)srq)->xrcd)
        return EINVAL;
    *number = (uint32_t)(nic_context(srq->context)->number + 1) * NIC_SRQ_COUNT + srq->handle;
    return 0;
}

/* ---- domains of extended connections ---- */

struct ibv_xrcd *nic_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *init)
{
    const uint32_t needs = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
    static atomic_uint own;
    struct stat about;
    int has_file = init->fd >= 0;
    errno = init->comp_mask != needs ? EINVAL : has_file && fstat(init->fd, &about) ? EBADF : 0;
    struct nic_xrcd *x = errno ? NULL : calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->xrcd.context = context;
    if (has_file)
        x->id = ((uint64_t)about.st_dev << 40 ^ (uint64_t)about.st_ino) | 1ull << 63;
    else
        x->id = (uint64_t)(nic_context(context)->number + 1) << 32 | (atomic_fetch_add(&own, 1) + 1);
    return &x->xrcd;
}

int nic_close_xrcd(struct ibv_xrcd *xrcd)
{
    if (atomic_load(&((struct nic_xrcd *)xrcd)->users))
        return EBUSY;
    free(xrcd);
    return 0;
}

/* How many receives may be posted: as many as there are at least, and not fewer than the limit is. */
static int resize(struct nic_srq *q, unsigned most)
{
    int error = EINVAL;
    if (most == 0 || most >= NIC_RECVS || most < nic_get(q->at + NIC_SRQ_LIMIT))
        return EINVAL;
    pthread_spin_lock(&q->receives.lock);
    unsigned room = nic_ring(most + 1) - 1;
    if (nic_get(q->receives.posted) - nic_get(q->receives.over) <= room) {
        q->receives.room = q->attr.max_wr = room;
        error = 0;
    }
    pthread_spin_unlock(&q->receives.lock);
    return error;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
    struct nic_srq *q = (struct nic_srq *)srq;
    int error = mask & IBV_SRQ_MAX_WR ? resize(q, attr->max_wr) : 0;
    if (error)
        return error;
    if (mask & IBV_SRQ_LIMIT) {
        if (attr->srq_limit > q->attr.max_wr)
            return EINVAL;
        nic_set(q->at + NIC_SRQ_LIMIT, attr->srq_limit);
    }
    return 0;
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
    struct nic_srq *q = (struct nic_srq *)srq;
    *attr = q->attr;
    attr->srq_limit = (uint32_t)nic_get(q->at + NIC_SRQ_LIMIT);
    return 0;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
    struct nic_srq *q = (struct nic_srq *)srq;
    if (atomic_load(&q->users))
        return EBUSY;
    nic_set(q->at + NIC_SRQ_ALIVE, 0);
    atomic_store(&nic_context(srq->context)->srqs[srq->handle], NULL);
    atomic_fetch_sub(&((struct nic_pd *)srq->pd)->users, 1);
    if (q->xrcd) {
        atomic_fetch_sub(&q->xrcd->users, 1);
        atomic_fetch_sub(&q->cq->users, 1);
    }
    free(srq);
    return 0;
}
