/* Posting requests. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <string.h>

static word *send_entry(struct nic_qp *q, uint64_t i)
{
    return q->at + NIC_QP_SEND_RING + (i % q->ring) * NIC_WQE_WORDS;
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
            return EINVAL;
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

/* Whether a queue pair of a type has such requests (InfiniBand vol. 1 §9.2). */
static int is_of(enum ibv_qp_type type, enum ibv_wr_opcode opcode)
{
    switch (opcode) {
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
        return type != IBV_QPT_XRC_RECV;
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
    case IBV_WR_BIND_MW:
    case IBV_WR_LOCAL_INV:
        return type == IBV_QPT_RC || type == IBV_QPT_UC || type == IBV_QPT_XRC_SEND;
    default:
        return type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND;
    }
}

static int is_known(enum ibv_wr_opcode opcode)
{
    return opcode <= IBV_WR_SEND_WITH_INV || opcode == IBV_WR_ATOMIC_WRITE;
}

/* What a request says of a window; the rest the device checks. A window of the first type has a call of its own. */
static int bind_data(word *e, const struct ibv_send_wr *wr, int binds_first_type)
{
    const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
    if (!wr->bind_mw.mw || (wr->bind_mw.mw->type == IBV_MW_TYPE_1) != binds_first_type)
        return EINVAL;
    put(e + NIC_WQE_RKEY, wr->bind_mw.rkey);
    put(e + NIC_WQE_ADDR, info->addr);
    put(e + NIC_WQE_NSGE, 0);
    put(e + NIC_WQE_BIND_WINDOW, wr->bind_mw.mw->handle);
    put(e + NIC_WQE_BIND_KEY, info->mr ? info->mr->lkey : 0);
    put(e + NIC_WQE_BIND_LEN, info->length);
    put(e + NIC_WQE_BIND_ACCESS, info->mw_access_flags);
    return 0;
}

/* The routing header of a datagram, if its address is a global one (InfiniBand vol. 1 §8.3, of memory: the text was not at hand). What
 * it counts is behind it: transport headers of 12 and 8 bytes, 4 of immediate data, the data in words, and a check sum of 4. */
static void put_route(word *e, const struct nic_ah *ah, const struct ibv_send_wr *wr)
{
    uint32_t length = 12 + 8 + 4 + (wr->opcode == IBV_WR_SEND_WITH_IMM ? 4 : 0), data = 0;
    for (int i = 0; i < wr->num_sge; i++)
        data += wr->sg_list[i].length;
    struct ibv_grh header = {.version_tclass_flow = htobe32(6u << 28 | (uint32_t)ah->route.traffic_class << 20 | (ah->route.flow_label & 0xfffff)),
                             .paylen = htobe16((uint16_t)(length + (data + 3) / 4 * 4)),
                             .next_hdr = 0x1b,
                             .hop_limit = ah->route.hop_limit};
    uint64_t words[3] = {0};
    if (ah->is_global) {
        memcpy(words, &header, 8);
        memcpy(words + 1, &ah->route.dgid, 16);
    }
    for (int i = 0; i < 3; i++)
        put(e + NIC_WQE_ROUTE + i, words[i]);
}

/* Writes a request behind so many; the device sees it when NIC_QP_POSTED says so. */
int nic_write_request(struct nic_qp *q, const struct ibv_send_wr *wr, uint64_t posted, int binds_first_type)
{
    word *e = send_entry(q, posted);
    unsigned flags = wr->send_flags;
    uint64_t state = nic_get(q->at + NIC_QP_STATE);
    int error;
    if (state < IBV_QPS_RTS)
        return EINVAL;
    if (!is_known(wr->opcode))
        return EOPNOTSUPP;
    if (!is_of(q->qp.qp_base.qp_type, wr->opcode) || (q->qp.qp_base.qp_type == IBV_QPT_UD && !wr->wr.ud.ah))
        return EINVAL;
    if (wr->num_sge < 0 || (unsigned)wr->num_sge > q->init.cap.max_send_sge)
        return EINVAL;
    /* A request has room until it is over. */
    if (posted - nic_get(q->at + NIC_QP_RETIRED) >= q->sends)
        return ENOMEM;
    if (q->init.sq_sig_all)
        flags |= IBV_SEND_SIGNALED;
    put(e + NIC_WQE_ID, wr->wr_id);
    put(e + NIC_WQE_OPCODE, wr->opcode);
    put(e + NIC_WQE_FLAGS, flags);
    put(e + NIC_WQE_ADDR, is_atomic(wr->opcode) ? wr->wr.atomic.remote_addr : wr->wr.rdma.remote_addr);
    put(e + NIC_WQE_RKEY, is_atomic(wr->opcode) ? wr->wr.atomic.rkey : wr->wr.rdma.rkey);
    if (q->qp.qp_base.qp_type == IBV_QPT_UD) {
        uint32_t key = wr->wr.ud.remote_qkey;
        const struct nic_ah *ah = (struct nic_ah *)wr->wr.ud.ah;
        int leads = ah->leads ? wr->wr.ud.remote_qpn != NIC_MULTICAST : ah->group[0] && wr->wr.ud.remote_qpn == NIC_MULTICAST;
        put(e + NIC_WQE_ADDR, leads ? wr->wr.ud.remote_qpn : 0);
        put(e + NIC_WQE_GROUP, ah->group[0]);
        put(e + NIC_WQE_GROUP + 1, ah->group[1]);
        put_route(e, ah, wr);
        /* A key with the highest bit set stands for the queue pair's own. */
        put(e + NIC_WQE_RKEY, key >> 31 ? q->attr.qkey : key);
    }
    if (wr->opcode == IBV_WR_SEND_WITH_INV || wr->opcode == IBV_WR_LOCAL_INV)
        put(e + NIC_WQE_RKEY, wr->invalidate_rkey);
    put(e + NIC_WQE_COMPARE_ADD, wr->wr.atomic.compare_add);
    put(e + NIC_WQE_SWAP, wr->wr.atomic.swap);
    put(e + NIC_WQE_IMM, wr->imm_data);
    put(e + NIC_WQE_SRQN, wr->qp_type.xrc.remote_srqn);
    put(e + NIC_WQE_NSGE, (uint64_t)wr->num_sge);
    nic_sges(e + NIC_WQE_SGE, wr->sg_list, wr->num_sge);
    if (wr->opcode == IBV_WR_BIND_MW)
        return bind_data(e, wr, binds_first_type);
    if ((flags & IBV_SEND_INLINE) && !is_atomic(wr->opcode) && (error = inline_data(e, wr)))
        return error;
    return 0;
}

int nic_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad, int binds_first_type)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    int error = 0;
    pthread_spin_lock(&q->send_lock);
    while (wr) {
        uint64_t posted = get(q->at + NIC_QP_POSTED);
        error = nic_write_request(q, wr, posted, binds_first_type);
        if (error)
            break;
        /* A plain store: on x86 it waits for nothing, and no earlier store waits for it. */
        nic_set(q->at + NIC_QP_POSTED, posted + 1);
        wr = wr->next;
    }
    pthread_spin_unlock(&q->send_lock);
    if (error)
        *bad = wr;
    return error;
}

int nic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    return nic_post(qp, wr, bad, 0);
}
