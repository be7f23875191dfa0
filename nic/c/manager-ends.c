/* Queue pairs of the stand-in for librdmacm, ends that are made in one call, and sockets over RDMA, which are not there. */
#define _GNU_SOURCE
#include "manager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a queue pair is told on its way to a state. */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
    struct manager_id *m = manager_id(id);
    enum ibv_qp_state to = attr->qp_state;
    struct ibv_port_attr port;
    int datagrams = id->qp_type == IBV_QPT_UD;
    if (!id->verbs || ibv_query_port(id->verbs, 1, &port))
        return manager_fail(EINVAL);
    *mask = IBV_QP_STATE;
    switch (to) {
    case IBV_QPS_INIT:
        attr->pkey_index = 0;
        attr->port_num = 1;
        *mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | (datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
        attr->qkey = RDMA_UDP_QKEY;
        attr->qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
        return 0;
    case IBV_QPS_RTR:
        if (datagrams)
            return 0;
        attr->ah_attr = (struct ibv_ah_attr){.dlid = port.lid, .port_num = 1};
        attr->path_mtu = port.active_mtu;
        attr->dest_qp_num = m->peer;
        attr->rq_psn = 0;
        attr->max_dest_rd_atomic = m->conn.responder_resources;
        attr->min_rnr_timer = 0; /* 655 ms, as the kernel's connection manager has it */
        *mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
        return 0;
    case IBV_QPS_RTS:
        attr->sq_psn = 0;
        *mask |= IBV_QP_SQ_PSN;
        if (datagrams)
            return 0;
        attr->timeout = m->has_timeout ? m->timeout : 18;
        attr->retry_cnt = m->conn.retry_count ? m->conn.retry_count & 7 : 7;
        attr->rnr_retry = m->conn.rnr_retry_count & 7;
        attr->max_rd_atomic = m->conn.initiator_depth;
        *mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
        return 0;
    default:
        return manager_fail(EINVAL);
    }
}

static int bring(struct rdma_cm_id *id, enum ibv_qp_state to)
{
    struct ibv_qp_attr attr = {.qp_state = to};
    int mask;
    if (rdma_init_qp_attr(id, &attr, &mask))
        return -1;
    int failed = ibv_modify_qp(id->qp, &attr, mask);
    return failed ? manager_fail(failed) : 0;
}

/* Connects the queue pair of an identifier with its other end. */
int manager_ready(struct manager_id *m)
{
    return bring(&m->id, IBV_QPS_RTR) || bring(&m->id, IBV_QPS_RTS) ? -1 : 0;
}

static int own_queue(struct rdma_cm_id *id, int entries, struct ibv_comp_channel **channel, struct ibv_cq **cq)
{
    *channel = ibv_create_comp_channel(id->verbs);
    *cq = *channel ? ibv_create_cq(id->verbs, entries > 0 ? entries : 1, id, *channel, 0) : NULL;
    return *cq ? 0 : -1;
}

static void end_queues(struct rdma_cm_id *id)
{
    if (id->recv_cq)
        ibv_destroy_cq(id->recv_cq);
    if (id->recv_cq_channel)
        ibv_destroy_comp_channel(id->recv_cq_channel);
    if (id->send_cq)
        ibv_destroy_cq(id->send_cq);
    if (id->send_cq_channel)
        ibv_destroy_comp_channel(id->send_cq_channel);
    id->recv_cq = id->send_cq = NULL;
    id->recv_cq_channel = id->send_cq_channel = NULL;
}

int rdma_create_qp_ex(struct rdma_cm_id *id, struct ibv_qp_init_attr_ex *attr)
{
    if (id->qp || !id->verbs)
        return manager_fail(EINVAL);
    if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD)) {
        attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
        attr->pd = id->pd;
    }
    if (attr->pd->context != id->verbs)
        return manager_fail(EINVAL);
    int failed = 0;
    if (!attr->recv_cq && !attr->srq)
        failed = own_queue(id, (int)attr->cap.max_recv_wr, &id->recv_cq_channel, &id->recv_cq);
    if (!failed && !attr->send_cq)
        failed = own_queue(id, (int)attr->cap.max_send_wr, &id->send_cq_channel, &id->send_cq);
    attr->send_cq = attr->send_cq ? attr->send_cq : id->send_cq;
    attr->recv_cq = attr->recv_cq ? attr->recv_cq : id->recv_cq ? id->recv_cq : attr->send_cq;
    id->qp = failed ? NULL : ibv_create_qp_ex(id->verbs, attr);
    failed = !id->qp || bring(id, IBV_QPS_INIT);
    if (!failed && id->qp_type == IBV_QPT_UD)
        failed = bring(id, IBV_QPS_RTR) || bring(id, IBV_QPS_RTS);
    if (failed) {
        int why = errno;
        rdma_destroy_qp(id);
        return manager_fail(why);
    }
    id->pd = attr->pd;
    return 0;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    struct ibv_qp_init_attr_ex all = {0};
    /* It begins alike, and what stands behind may be in the place of padding. */
    memcpy(&all, attr, sizeof *attr);
    all.comp_mask = IBV_QP_INIT_ATTR_PD;
    all.pd = pd ? pd : id->pd;
    int failed = rdma_create_qp_ex(id, &all);
    memcpy(attr, &all, sizeof *attr);
    return failed;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
    manager_lock();
    manager_leave_groups(manager_id(id));
    manager_unlock();
    if (id->qp)
        ibv_destroy_qp(id->qp);
    id->qp = NULL;
    end_queues(id);
}

int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
    if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD)) {
        attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
        attr->pd = id->pd;
    }
    id->srq = ibv_create_srq_ex(id->verbs, attr);
    return id->srq ? 0 : -1;
}

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
    id->srq = ibv_create_srq(pd ? pd : id->pd, attr);
    return id->srq ? 0 : -1;
}

void rdma_destroy_srq(struct rdma_cm_id *id)
{
    ibv_destroy_srq(id->srq);
    id->srq = NULL;
}

/* ---- ends that are made in one call; every call waits ---- */

void rdma_destroy_ep(struct rdma_cm_id *id)
{
    if (id->qp)
        rdma_destroy_qp(id);
    if (id->srq)
        rdma_destroy_srq(id);
    rdma_destroy_id(id);
}

int rdma_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
    if (rdma_create_id(NULL, id, NULL, (enum rdma_port_space)res->ai_port_space))
        return -1;
    struct manager_id *m = manager_id(*id);
    int failed;
    if (res->ai_flags & RAI_PASSIVE) {
        failed = rdma_bind_addr(*id, res->ai_src_addr);
        m->attr = failed || !attr ? NULL : malloc(sizeof *attr);
        if (m->attr)
            *m->attr = *attr;
        m->of_requests = pd;
    } else {
        failed = rdma_resolve_addr(*id, res->ai_src_addr, res->ai_dst_addr, 2000) || rdma_resolve_route(*id, 2000);
        if (!failed && attr) {
            attr->qp_type = (enum ibv_qp_type)res->ai_qp_type;
            failed = rdma_create_qp(*id, pd, attr);
        }
    }
    if (failed) {
        int why = errno;
        rdma_destroy_ep(*id);
        return manager_fail(why);
    }
    return 0;
}

int rdma_get_request(struct rdma_cm_id *listen, struct rdma_cm_id **id)
{
    struct manager_id *m = manager_id(listen);
    if (!m->waits)
        return manager_fail(EINVAL);
    if (listen->event)
        rdma_ack_cm_event(listen->event);
    listen->event = NULL;
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(&m->channel->channel, &event))
        return -1;
    if (event->status || event->event != RDMA_CM_EVENT_CONNECT_REQUEST) {
        int why = event->status < 0 ? -event->status : EINVAL;
        rdma_ack_cm_event(event);
        return manager_fail(why);
    }
    struct rdma_cm_id *made = event->id;
    if (rdma_migrate_id(made, NULL))
        return -1;
    if (m->attr) {
        struct ibv_qp_init_attr attr = *m->attr;
        attr.qp_type = made->qp_type;
        if (rdma_create_qp(made, m->of_requests, &attr))
            return -1;
    }
    made->event = event;
    *id = made;
    return 0;
}
