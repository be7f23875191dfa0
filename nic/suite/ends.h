/* Two queue pairs of one process, `a` and `b`, each with memory of its own, and what they may be asked for. */
#ifndef LITMPI_NIC_ENDS_H
#define LITMPI_NIC_ENDS_H
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LENGTH = 4096, DEPTH = 16 };

struct end {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *sent, *received;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    char *memory;
};

static struct end a, b;
static int gid_index;
static enum ibv_qp_type type = IBV_QPT_RC; /* of queue pairs that are made */

static inline void need(int good, const char *what)
{
    if (good)
        return;
    printf("%s: %s\n", what, strerror(errno));
    exit(3);
}

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* ---- ends ---- */

static inline void open_end(struct end *e)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    need(list && list[0], "no device");
    need((e->context = ibv_open_device(list[0])) != NULL, "ibv_open_device");
    ibv_free_device_list(list);
    need((e->pd = ibv_alloc_pd(e->context)) != NULL, "ibv_alloc_pd");
    need((e->memory = aligned_alloc(LENGTH, LENGTH)) != NULL, "memory");
    memset(e->memory, 0, LENGTH);
    int rights = IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    need((e->mr = ibv_reg_mr(e->pd, e->memory, LENGTH, rights)) != NULL, "ibv_reg_mr");
}

static inline void make_qp(struct end *e, int entries, int depth)
{
    need((e->sent = ibv_create_cq(e->context, entries, NULL, NULL, 0)) != NULL, "ibv_create_cq");
    need((e->received = ibv_create_cq(e->context, entries, NULL, NULL, 0)) != NULL, "ibv_create_cq");
    struct ibv_qp_init_attr init = {.send_cq = e->sent,
                                    .recv_cq = e->received,
                                    .qp_type = type,
                                    .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1}};
    need((e->qp = ibv_create_qp(e->pd, &init)) != NULL, "ibv_create_qp");
}

static inline void initialise(struct end *e, int rights)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = rights};
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
}

struct times {
    int timeout, retry, not_ready, timer;
};

static inline void connect_to(struct end *e, uint32_t qpn, struct times t)
{
    struct ibv_port_attr port;
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
                               .path_mtu = IBV_MTU_1024,
                               .dest_qp_num = qpn,
                               .max_dest_rd_atomic = 4,
                               .min_rnr_timer = t.timer};
    need(!ibv_query_port(e->context, 1, &port), "ibv_query_port");
    attr.ah_attr = (struct ibv_ah_attr){.dlid = port.lid, .port_num = 1};
    if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh.sgid_index = gid_index;
        attr.ah_attr.grh.hop_limit = 1;
        need(!ibv_query_gid(e->context, 1, gid_index, &attr.ah_attr.grh.dgid), "ibv_query_gid");
    }
    int answers = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    int asks = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    if (e->qp->qp_type == IBV_QPT_UC)
        answers = asks = 0;
    if (e->qp->qp_type == IBV_QPT_XRC_SEND)
        answers = 0;
    if (e->qp->qp_type == IBV_QPT_XRC_RECV)
        asks = IBV_QP_TIMEOUT;
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | answers),
         "RTR");
    attr.qp_state = IBV_QPS_RTS;
    attr.timeout = t.timeout;
    attr.retry_cnt = t.retry;
    attr.rnr_retry = t.not_ready;
    attr.max_rd_atomic = 4;
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | asks), "RTS");
}

static const int all_rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
static const struct times patient = {.timeout = 14, .retry = 6, .not_ready = 7, .timer = 1};
/* Of a sender whose peer will not answer: 4 ms, three times. */
static const struct times hasty = {.timeout = 10, .retry = 3, .not_ready = 7, .timer = 1};

static inline void pair_with(int entries, int depth, int rights, struct times t)
{
    open_end(&a);
    open_end(&b);
    make_qp(&a, entries, depth);
    make_qp(&b, entries, depth);
    initialise(&a, all_rights);
    initialise(&b, rights);
    connect_to(&a, b.qp->qp_num, t);
    connect_to(&b, a.qp->qp_num, t);
}

static inline void pair(void)
{
    pair_with(64, DEPTH, all_rights, patient);
}

/* ---- requests ---- */

static inline int ask(struct end *from, enum ibv_wr_opcode opcode, uint64_t id, size_t length, uint64_t addr, uint32_t rkey)
{
    struct ibv_sge sge = {(uintptr_t)from->memory, (uint32_t)length, from->mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
    if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = addr;
        wr.wr.atomic.rkey = rkey;
    } else {
        wr.wr.rdma.remote_addr = addr;
        wr.wr.rdma.rkey = rkey;
    }
    return ibv_post_send(from->qp, &wr, &bad);
}

static inline int ask_there(struct end *from, const struct end *to, enum ibv_wr_opcode opcode, uint64_t id, size_t length)
{
    return ask(from, opcode, id, length, (uintptr_t)to->memory, to->mr->rkey);
}

static inline int receive_at(struct end *e, uint64_t id, size_t length, uint32_t lkey)
{
    struct ibv_sge sge = {(uintptr_t)e->memory, (uint32_t)length, lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1};
    return ibv_post_recv(e->qp, &wr, &bad);
}

static inline int receive(struct end *e, uint64_t id, size_t length)
{
    return receive_at(e, id, length, e->mr->lkey);
}
#endif
