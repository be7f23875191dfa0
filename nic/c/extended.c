/* The calls of ibv_qp_ex: they build requests, which are posted together.
 *
 * From wr_start to wr_complete or wr_abort the queue is locked. What is built is written into the ring; the device sees it when
 * wr_complete says how many there are, so that an abort leaves nothing behind. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <string.h>

static struct nic_batch *batch(struct ibv_qp_ex *ex)
{
    return &((struct nic_qp *)ex)->batch;
}

/* The first error of a batch stays, and is what wr_complete returns. */
static void fail(struct nic_batch *b, int error)
{
    if (!b->error)
        b->error = error;
}

/* Writes the request that is being built, if there is one. */
static void end(struct nic_qp *q)
{
    struct nic_batch *b = &q->batch;
    int error = b->building && !b->error ? nic_write_request(q, &b->wr, b->posted, 0) : 0;
    if (error)
        fail(b, error);
    else if (b->building)
        b->posted++;
    b->building = 0;
}

static void begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t addr, __be32 imm)
{
    struct nic_batch *b = batch(ex);
    end((struct nic_qp *)ex);
    memset(&b->wr, 0, sizeof b->wr);
    b->wr.wr_id = ex->wr_id;
    b->wr.send_flags = ex->wr_flags;
    b->wr.opcode = opcode;
    b->wr.imm_data = imm;
    if (ex->qp_base.qp_type != IBV_QPT_UD) {
        b->wr.wr.rdma.remote_addr = addr;
        b->wr.wr.rdma.rkey = rkey;
    }
    b->wr.sg_list = b->sge;
    b->building = 1;
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
    struct ibv_send_wr *wr = &batch(ex)->wr;
    begin(ex, opcode, rkey, addr, 0);
    wr->wr.atomic.remote_addr = addr;
    wr->wr.atomic.compare_add = first;
    wr->wr.atomic.swap = swap;
    wr->wr.atomic.rkey = rkey;
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

static void wr_send_inv(struct ibv_qp_ex *q, uint32_t rkey)
{
    begin(q, IBV_WR_SEND_WITH_INV, 0, 0, 0);
    batch(q)->wr.invalidate_rkey = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *q, uint32_t rkey)
{
    begin(q, IBV_WR_LOCAL_INV, 0, 0, 0);
    batch(q)->wr.invalidate_rkey = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *q, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info)
{
    begin(q, IBV_WR_BIND_MW, 0, 0, 0);
    batch(q)->wr.bind_mw.mw = mw;
    batch(q)->wr.bind_mw.rkey = rkey;
    batch(q)->wr.bind_mw.bind_info = *info;
}

/* ---- what the device does not have: the batch fails ---- */

static void no_request(struct ibv_qp_ex *q)
{
    end((struct nic_qp *)q);
    fail(batch(q), EOPNOTSUPP);
}

static void wr_send_tso(struct ibv_qp_ex *q, void *header, uint16_t size, uint16_t mss)
{
    (void)header, (void)size, (void)mss;
    no_request(q);
}

/* ---- what a request is about ---- */

static void wr_set_ud_addr(struct ibv_qp_ex *q, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
    struct ibv_send_wr *wr = &batch(q)->wr;
    wr->wr.ud.ah = ah;
    wr->wr.ud.remote_qpn = qpn;
    wr->wr.ud.remote_qkey = qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *q, uint32_t number)
{
    batch(q)->wr.qp_type.xrc.remote_srqn = number;
}

static void wr_set_sge_list(struct ibv_qp_ex *q, size_t n, const struct ibv_sge *list)
{
    struct nic_batch *b = batch(q);
    if (n > NIC_SGES) {
        fail(b, EINVAL);
        return;
    }
    memcpy(b->sge, list, n * sizeof *list);
    b->wr.num_sge = (int)n;
}

static void wr_set_sge(struct ibv_qp_ex *q, uint32_t lkey, uint64_t addr, uint32_t length)
{
    struct ibv_sge sge = {addr, length, lkey};
    wr_set_sge_list(q, 1, &sge);
}

/* The data is the program's again when the call returns. */
static void wr_set_inline_data_list(struct ibv_qp_ex *q, size_t n, const struct ibv_data_buf *list)
{
    struct nic_batch *b = batch(q);
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (list[i].length > sizeof b->data - length) {
            fail(b, EINVAL);
            return;
        }
        memcpy(b->data + length, list[i].addr, list[i].length);
        length += list[i].length;
    }
    wr_set_sge(q, 0, (uintptr_t)b->data, (uint32_t)length);
    b->wr.send_flags |= IBV_SEND_INLINE;
}

static void wr_set_inline_data(struct ibv_qp_ex *q, void *addr, size_t length)
{
    struct ibv_data_buf buf = {addr, length};
    wr_set_inline_data_list(q, 1, &buf);
}

/* A write of eight bytes at once, which are the program's again when the call returns. */
static void wr_atomic_write(struct ibv_qp_ex *q, uint32_t rkey, uint64_t addr, const void *data)
{
    struct ibv_data_buf buf = {(void *)(uintptr_t)data, 8};
    begin(q, IBV_WR_ATOMIC_WRITE, rkey, addr, 0);
    wr_set_inline_data_list(q, 1, &buf);
}

/* ---- batches ---- */

static void wr_start(struct ibv_qp_ex *ex)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    pthread_spin_lock(&q->send_lock);
    q->batch.building = q->batch.error = 0;
    q->batch.posted = nic_get(q->at + NIC_QP_POSTED);
}

static int wr_complete(struct ibv_qp_ex *ex)
{
    struct nic_qp *q = (struct nic_qp *)ex;
    end(q);
    int error = q->batch.error;
    if (!error)
        nic_set(q->at + NIC_QP_POSTED, q->batch.posted);
    pthread_spin_unlock(&q->send_lock);
    return error;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
    pthread_spin_unlock(&((struct nic_qp *)ex)->send_lock);
}

void nic_set_wr_calls(struct ibv_qp_ex *q)
{
    /* A header that has more of them than are known here. */
    void (*refuses)(struct ibv_qp_ex *) = no_request;
    for (char *at = (char *)&q->wr_atomic_cmp_swp; at < (char *)(q + 1); at += sizeof refuses)
        memcpy(at, &refuses, sizeof refuses);
    q->wr_rdma_write = wr_rdma_write;
    q->wr_rdma_write_imm = wr_rdma_write_imm;
    q->wr_rdma_read = wr_rdma_read;
    q->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
    q->wr_atomic_fetch_add = wr_atomic_fetch_add;
    q->wr_atomic_write = wr_atomic_write;
    q->wr_send = wr_send;
    q->wr_send_imm = wr_send_imm;
    q->wr_send_inv = wr_send_inv;
    q->wr_send_tso = wr_send_tso;
    q->wr_local_inv = wr_local_inv;
    q->wr_bind_mw = wr_bind_mw;
    q->wr_set_ud_addr = wr_set_ud_addr;
    q->wr_set_xrc_srqn = wr_set_xrc_srqn;
    q->wr_set_sge = wr_set_sge;
    q->wr_set_sge_list = wr_set_sge_list;
    q->wr_set_inline_data = wr_set_inline_data;
    q->wr_set_inline_data_list = wr_set_inline_data_list;
    q->wr_start = wr_start;
    q->wr_complete = wr_complete;
    q->wr_abort = wr_abort;
}
