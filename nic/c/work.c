/* Posting and polling, and what completions and events are called. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static word *send_entry(struct nic_qp *q, uint64_t i)
{
    return q->at + NIC_QP_SEND_RING + (i % NIC_SENDS) * NIC_WQE_WORDS;
}

static void put(word *at, uint64_t value)
{
    atomic_store_explicit(at, value, memory_order_relaxed);
}

static uint64_t get(word *at)
{
    return atomic_load_explicit(at, memory_order_relaxed);
}

static int inline_data(word *e, const struct ibv_send_wr *wr)
{
    unsigned char data[NIC_INLINE];
    size_t length = 0;
    for (int i = 0; i < wr->num_sge; i++) {
        if (length + wr->sg_list[i].length > sizeof data)
            return ENOMEM;
        memcpy(data + length, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
        length += wr->sg_list[i].length;
    }
    put(e + NIC_WQE_INLINE_LEN, length);
    for (size_t at = 0; at < length; at += 8) {
        uint64_t w = 0;
        memcpy(&w, data + at, length - at < 8 ? length - at : 8);
        put(e + NIC_WQE_INLINE + at / 8, w);
    }
    return 0;
}

void nic_sges(word *at, const struct ibv_sge *list, int n)
{
    for (int i = 0; i < n; i++) {
        put(at + 3 * i, list[i].addr);
        put(at + 3 * i + 1, list[i].length);
        put(at + 3 * i + 2, list[i].lkey);
    }
}

static int is_atomic(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static int post(struct nic_qp *q, const struct ibv_send_wr *wr)
{
    uint64_t posted = get(q->at + NIC_QP_POSTED);
    word *e = send_entry(q, posted);
    unsigned flags = wr->send_flags;
    int error;
    if (q->qp.qp_base.state != IBV_QPS_RTS && q->qp.qp_base.state != IBV_QPS_ERR)
        return EINVAL;
    if (wr->opcode != IBV_WR_RDMA_WRITE && wr->opcode != IBV_WR_RDMA_WRITE_WITH_IMM && wr->opcode != IBV_WR_SEND &&
        wr->opcode != IBV_WR_SEND_WITH_IMM && wr->opcode != IBV_WR_RDMA_READ && !is_atomic(wr->opcode))
        return EOPNOTSUPP;
    if (q->qp.qp_base.qp_type == IBV_QPT_UD && wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM)
        return EINVAL;
    if (wr->num_sge > NIC_SGES || posted - nic_get(q->at + NIC_QP_TAKEN) >= NIC_SENDS)
        return wr->num_sge > NIC_SGES ? EINVAL : ENOMEM;
    if (q->init.sq_sig_all)
        flags |= IBV_SEND_SIGNALED;
    put(e + NIC_WQE_ID, wr->wr_id);
    put(e + NIC_WQE_OPCODE, wr->opcode);
    put(e + NIC_WQE_FLAGS, flags);
    put(e + NIC_WQE_ADDR, is_atomic(wr->opcode) ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr);
    put(e + NIC_WQE_RKEY, is_atomic(wr->opcode) ? wr->wr.atomic.rkey : wr->wr.rdma.rkey);
    if (q->qp.qp_base.qp_type == IBV_QPT_UD) {
        uint32_t key = wr->wr.ud.remote_qkey;
        put(e + NIC_WQE_ADDR, ((struct nic_ah *)wr->wr.ud.ah)->leads ? wr->wr.ud.remote_qpn : 0);
        /* A key with the highest bit set stands for the queue pair's own. */
        put(e + NIC_WQE_RKEY, key >> 31 ? q->attr.qkey : key);
    }
    put(e + NIC_WQE_COMPARE_ADD, wr->wr.atomic.compare_add);
    put(e + NIC_WQE_SWAP, wr->wr.atomic.swap);
    put(e + NIC_WQE_IMM, wr->imm_data);
    put(e + NIC_WQE_NSGE, (uint64_t)wr->num_sge);
    nic_sges(e + NIC_WQE_SGE, wr->sg_list, wr->num_sge);
    if ((flags & IBV_SEND_INLINE) && !is_atomic(wr->opcode) && (error = inline_data(e, wr)))
        return error;
    /* A plain store: on x86 it waits for nothing, and no earlier store waits for it. */
    nic_set(q->at + NIC_QP_POSTED, posted + 1);
    return 0;
}

int nic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    int error = 0;
    pthread_spin_lock(&q->send_lock);
    for (; wr && !error; wr = error ? wr : wr->next)
        error = post(q, wr);
    pthread_spin_unlock(&q->send_lock);
    if (error)
        *bad = wr;
    return error;
}

/* The engine is a process, too: a thread that only polls must leave it a core, by yielding or, if LITMPI_NIC_PAUSE asks
 * for it, by sleeping for a microsecond after so many polls of any queue that found nothing. */
static void leave_a_core(int found)
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

int nic_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct nic_cq *q = (struct nic_cq *)cq;
    int found = 0;
    pthread_spin_lock(&q->lock);
    uint64_t at = get(q->at + NIC_CQ_CONSUMED), produced = nic_get(q->at + NIC_CQ_PRODUCED);
    for (; found < n && at < produced; found++, at++) {
        word *e = q->at + NIC_CQ_RING + (at % NIC_CQES) * NIC_CQE_WORDS;
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
    leave_a_core(found);
    return found;
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
    static const char *const names[] = {
        "success", "local length error", "local QP operation error", "local EE context operation error",
        "local protection error", "work request flushed", "memory window bind error", "bad response",
        "local access error", "remote invalid request", "remote access error", "remote operation error",
        "transport retries exceeded", "receiver not ready, retries exceeded",
    };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "error";
}

const char *ibv_node_type_str(enum ibv_node_type type)
{
    return type == IBV_NODE_CA ? "InfiniBand channel adapter" : "unknown";
}

const char *ibv_port_state_str(enum ibv_port_state state)
{
    return state == IBV_PORT_ACTIVE ? "active" : "down";
}

/* ---- the calls of ibv_qp_ex build one work request each ---- */

static void begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, __be32 imm)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    struct ibv_send_wr *bad;
    if (q->building)
        nic_post_send(&ex->qp_base, &q->wr, &bad);
    memset(&q->wr, 0, sizeof q->wr);
    q->wr.wr_id = ex->wr_id;
    q->wr.send_flags = ex->wr_flags;
    q->wr.opcode = opcode;
    q->wr.imm_data = imm;
    q->wr.wr.rdma.remote_addr = addr;
    q->wr.wr.rdma.rkey = rkey;
    q->wr.sg_list = q->sge;
    q->building = 1;
}

static void wr_rdma_write(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr)
{
    begin(q, IBV_WR_RDMA_WRITE, rkey, addr, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr, __be32 imm)
{
    begin(q, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr)
{
    begin(q, IBV_WR_RDMA_READ, rkey, addr, 0);
}

static void wr_atomic(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, uint64_t first,
                      uint64_t swap)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    begin(ex, opcode, rkey, addr, 0);
    q->wr.wr.atomic.remote_addr = addr;
    q->wr.wr.atomic.compare_add = first;
    q->wr.wr.atomic.swap = swap;
    q->wr.wr.atomic.rkey = rkey;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t compare, uint64_t swap)
{
    wr_atomic(q, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr, uint64_t add)
{
    wr_atomic(q, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

static void wr_send(struct ibv_qp_ex *q)
{
    begin(q, IBV_WR_SEND, 0, 0, 0);
}

static void wr_send_imm(struct ibv_qp_ex *q, __be32 imm)
{
    begin(q, IBV_WR_SEND_WITH_IMM, 0, 0, imm);
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    q->sge[0] = (struct ibv_sge){addr, length, lkey};
    q->wr.num_sge = 1;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *list)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    n = n < NIC_SGES ? n : NIC_SGES;
    memcpy(q->sge, list, n * sizeof *list);
    q->wr.num_sge = (int)n;
}

static void wr_set_inline_data(struct ibv_qp_ex *ex, void *addr, size_t length)
{
    wr_set_sge(ex, 0, (uintptr_t)addr, (uint32_t)length);
    ((struct nic_qp *)ex)->wr.send_flags |= IBV_SEND_INLINE;
}

static void wr_start(struct ibv_qp_ex *ex)
{
    ((struct nic_qp *)ex)->building = 0;
}

/* Limit: requests of one batch are posted as they are built, so an abort takes back only the last one. */
static int wr_complete(struct ibv_qp_ex *ex)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    struct ibv_send_wr *bad;
    int error = q->building ? nic_post_send(&ex->qp_base, &q->wr, &bad) : 0;
    q->building = 0;
    return error;
}

void nic_set_wr_calls(struct ibv_qp_ex *q)
{
    q->wr_rdma_write = wr_rdma_write;
    q->wr_rdma_write_imm = wr_rdma_write_imm;
    q->wr_rdma_read = wr_rdma_read;
    q->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
    q->wr_atomic_fetch_add = wr_atomic_fetch_add;
    q->wr_send = wr_send;
    q->wr_send_imm = wr_send_imm;
    q->wr_set_sge = wr_set_sge;
    q->wr_set_sge_list = wr_set_sge_list;
    q->wr_set_inline_data = wr_set_inline_data;
    q->wr_start = wr_start;
    q->wr_complete = wr_complete;
    q->wr_abort = wr_start;
}
