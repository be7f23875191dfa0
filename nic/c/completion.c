/* Completion queues: made, resized, and polled, many entries at once or one by one. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* ---- made ---- */

static word *entry(struct nic_cq *q, uint64_t i)
{
    return q->at + NIC_CQ_RING + (i % NIC_CQES) * NIC_CQE_WORDS;
}

/* As devices do, one less than a power of two; `cqe` of the queue says so. */
static unsigned room(unsigned cqe)
{
    return nic_ring(cqe + 1) - 1;
}

struct nic_cq *nic_make_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *init)
{
    struct nic_context *c = nic_context(context);
    int is_good = init->cqe > 0 && init->cqe < NIC_CQES && init->comp_vector < (uint32_t)context->num_comp_vectors;
    struct nic_cq *q = is_good ? calloc(1, sizeof *q) : NULL;
    if (!q) {
        errno = is_good ? ENOMEM : EINVAL;
        return NULL;
    }
    pthread_mutex_lock(&making);
    for (unsigned i = 0; i < NIC_CQ_COUNT && !q->at; i++)
        if (!nic_get(nic_cq_at(c, i) + NIC_CQ_ALIVE)) {
            if (nic_have(nic_cq_at(c, i), NIC_CQ_WORDS))
                break;
            q->at = nic_cq_at(c, i);
            q->cq.handle = i;
            nic_set(q->at + NIC_CQ_PRODUCED, 0);
            nic_set(q->at + NIC_CQ_CONSUMED, 0);
            nic_set(q->at + NIC_CQ_ARMED, 0);
            nic_set(q->at + NIC_CQ_OVERRUN, 0);
            nic_set(q->at + NIC_CQ_ROOM, room(init->cqe));
            nic_set(q->at + NIC_CQ_CHANNEL, init->channel ? ((struct nic_channel *)init->channel)->number : 0);
            nic_set(q->at + NIC_CQ_ALIVE, 1);
        }
    pthread_mutex_unlock(&making);
    if (!q->at) {
        free(q);
        errno = ENOMEM;
        return NULL;
    }
    q->cq.context = context;
    q->cq.channel = init->channel;
    q->cq.cq_context = init->cq_context;
    q->cq.cqe = (int)room(init->cqe);
    pthread_mutex_init(&q->cq.mutex, NULL);
    pthread_cond_init(&q->cq.cond, NULL);
    pthread_spin_init(&q->lock, PTHREAD_PROCESS_PRIVATE);
    atomic_store(&c->cqs[q->cq.handle], (struct ibv_cq *)&q->cq);
    if (init->channel)
        init->channel->refcnt++;
    return q;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
                             int vector)
{
    struct ibv_cq_init_attr_ex init = {
        .cqe = cqe > 0 ? (uint32_t)cqe : 0, .cq_context = cq_context, .channel = channel, .comp_vector = (uint32_t)vector};
    struct nic_cq *q = nic_make_cq(context, &init);
    return q ? (struct ibv_cq *)&q->cq : NULL;
}

/* A queue that holds more than is asked for stays as it is. */
int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    int error = cqe <= 0 || cqe >= NIC_CQES ? EINVAL : 0;
    pthread_spin_lock(&q->lock);
    if (!error && nic_get(q->at + NIC_CQ_PRODUCED) - nic_get(q->at + NIC_CQ_CONSUMED) > (uint64_t)cqe)
        error = EINVAL;
    if (!error) {
        nic_set(q->at + NIC_CQ_ROOM, room((unsigned)cqe));
        cq->cqe = (int)room((unsigned)cqe);
    }
    pthread_spin_unlock(&q->lock);
    return error;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    if (atomic_load(&q->users))
        return EBUSY;
    nic_set(q->at + NIC_CQ_ALIVE, 0);
    atomic_store(&nic_context(cq->context)->cqs[cq->handle], NULL);
    if (cq->channel)
        cq->channel->refcnt--;
    free(cq);
    return 0;
}

/* Takes the completions of a queue pair away that nobody has polled; the others stay in their order. The device writes behind them
 * meanwhile. */
void nic_forget(struct ibv_cq *cq, uint32_t qpn)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    if (!cq)
        return; /* an extended connection has one at one end */
    pthread_spin_lock(&q->lock);
    uint64_t first = nic_get(q->at + NIC_CQ_CONSUMED), to = nic_get(q->at + NIC_CQ_PRODUCED);
    for (uint64_t from = to; from-- > first;) {
        word *e = entry(q, from);
        if (nic_get(e + NIC_CQE_QPN) == qpn)
            continue;
        if (--to != from)
            for (int w = 0; w < NIC_CQE_WORDS; w++)
                nic_set(entry(q, to) + w, nic_get(e + w));
    }
    nic_set(q->at + NIC_CQ_CONSUMED, to);
    pthread_spin_unlock(&q->lock);
}

/* ---- polled, many at once ---- */

/* The engine is a process, too: a thread that only polls must leave it a core, by yielding or, if LITMPI_NIC_PAUSE asks
 * for it, by sleeping for a microsecond after so many polls of any queue that found nothing. */
void nic_leave_a_core(int found)
{
    static __thread long empty, pause = -1;
    if (pause < 0) {
        const char *asked = getenv("LITMPI_NIC_PAUSE");
        pause = asked ? atol(asked) : 0;
        if (pause > 0)
            prctl(PR_SET_TIMERSLACK, 1); /* else the kernel makes it fifty */
    }
    empty = found ? 0 : empty + 1;
    if (pause > 0 && empty > pause)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    else if (empty > 100)
        sched_yield();
}

static uint64_t get(word *at)
{
    return atomic_load_explicit(at, memory_order_relaxed);
}

int nic_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    int found = 0;
    pthread_spin_lock(&q->lock);
    uint64_t at = get(q->at + NIC_CQ_CONSUMED), produced = nic_get(q->at + NIC_CQ_PRODUCED);
    for (; found < n && at < produced; found++, at++) {
        word *e = entry(q, at);
        memset(&wc[found], 0, sizeof *wc);
        wc[found].wr_id = get(e + NIC_CQE_ID);
        wc[found].status = (enum ibv_wc_status)get(e + NIC_CQE_STATUS);
        wc[found].opcode = (enum ibv_wc_opcode)get(e + NIC_CQE_OPCODE);
        wc[found].byte_len = (uint32_t)get(e + NIC_CQE_LEN);
        wc[found].imm_data = (uint32_t)get(e + NIC_CQE_IMM);
        wc[found].wc_flags = (unsigned)get(e + NIC_CQE_FLAGS);
        wc[found].qp_num = (uint32_t)get(e + NIC_CQE_QPN);
        wc[found].src_qp = (uint32_t)get(e + NIC_CQE_SOURCE);
        wc[found].slid = NIC_LID;
    }
    nic_set(q->at + NIC_CQ_CONSUMED, at);
    pthread_spin_unlock(&q->lock);
    nic_leave_a_core(found);
    return found;
}

/* ---- polled one by one ---- */

/* The next entry becomes the present one, if there is one; the lock is held from the first to the last. */
static int advance(struct nic_cq *q)
{
    if (q->next >= nic_get(q->at + NIC_CQ_PRODUCED))
        return ENOENT;
    q->entry = entry(q, q->next++);
    q->cq.wr_id = get(q->entry + NIC_CQE_ID);
    q->cq.status = (enum ibv_wc_status)get(q->entry + NIC_CQE_STATUS);
    return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    if (attr && attr->comp_mask)
        return EINVAL;
    pthread_spin_lock(&q->lock);
    q->next = get(q->at + NIC_CQ_CONSUMED);
    int error = advance(q);
    if (error)
        pthread_spin_unlock(&q->lock);
    nic_leave_a_core(!error);
    return error;
}

static int next_poll(struct ibv_cq_ex *cq)
{
    return advance((struct nic_cq *)cq);
}

static void end_poll(struct ibv_cq_ex *cq)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    nic_set(q->at + NIC_CQ_CONSUMED, q->next);
    pthread_spin_unlock(&q->lock);
}

#define READ(type, name, word)                                  \
    static type name(struct ibv_cq_ex *cq)                      \
    {                                                           \
        return (type)get(((struct nic_cq *)cq)->entry + (word)); \
    }
READ(enum ibv_wc_opcode, read_opcode, NIC_CQE_OPCODE)
READ(uint32_t, read_byte_len, NIC_CQE_LEN)
READ(__be32, read_imm_data, NIC_CQE_IMM)
READ(uint32_t, read_qp_num, NIC_CQE_QPN)
READ(uint32_t, read_src_qp, NIC_CQE_SOURCE)
READ(unsigned, read_wc_flags, NIC_CQE_FLAGS)

#define SAYS(type, name, value)            \
    static type name(struct ibv_cq_ex *cq) \
    {                                      \
        (void)cq;                          \
        return value;                      \
    }
SAYS(uint32_t, read_slid, NIC_LID)
SAYS(uint32_t, read_vendor_err, 0)
SAYS(uint8_t, read_sl, 0)
SAYS(uint8_t, read_dlid_path_bits, 0)
/* A queue with these is not made; who asks another one for them finds nothing, and a function. */
SAYS(uint64_t, read_time, 0)
SAYS(uint16_t, read_cvlan, 0)
SAYS(uint32_t, read_flow_tag, 0)

static void read_tm_info(struct ibv_cq_ex *cq, struct ibv_wc_tm_info *info)
{
    (void)cq;
    memset(info, 0, sizeof *info);
}

struct ibv_cq_ex *nic_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init)
{
    int flags = init->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? (int)init->flags : 0;
    if ((init->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS) || (init->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS) ||
        (flags & ~IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
        errno = EOPNOTSUPP; /* no time stamps, no tags, no parent domains */
        return NULL;
    }
    struct nic_cq *q = nic_make_cq(context, init);
    if (!q)
        return NULL;
    struct ibv_cq_ex *cq = &q->cq;
    cq->start_poll = start_poll;
    cq->next_poll = next_poll;
    cq->end_poll = end_poll;
    cq->read_opcode = read_opcode;
    cq->read_vendor_err = read_vendor_err;
    cq->read_byte_len = read_byte_len;
    cq->read_imm_data = read_imm_data;
    cq->read_qp_num = read_qp_num;
    cq->read_src_qp = read_src_qp;
    cq->read_wc_flags = read_wc_flags;
    cq->read_slid = read_slid;
    cq->read_sl = read_sl;
    cq->read_dlid_path_bits = read_dlid_path_bits;
    cq->read_completion_ts = cq->read_completion_wallclock_ns = read_time;
    cq->read_cvlan = read_cvlan;
    cq->read_flow_tag = read_flow_tag;
    cq->read_tm_info = read_tm_info;
    return cq;
}
