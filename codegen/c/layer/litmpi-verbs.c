/* The device, by libibverbs. */
#define _GNU_SOURCE
#include "litmpi-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct litmpi_verbs {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq **cq;
    struct ibv_qp **qp;
    struct litmpi_address *address;
    struct ibv_port_attr port;
    void *memory;
    uint64_t bytes;
    int rank, nodes, gid_index, reads;
};

static int failed(const char **call, const char *what)
{
    int error = errno;
    *call = what;
    return error ? error : -1;
}

static struct ibv_context *device(const char *wanted)
{
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);
    struct ibv_context *found = NULL;
    for (int i = 0; list && i < n && !found; i++)
        if (!wanted || strcmp(ibv_get_device_name(list[i]), wanted) == 0)
            found = ibv_open_device(list[i]);
    if (list)
        ibv_free_device_list(list);
    return found;
}

/* Of a file that cannot shrink, which a device that is a process can map, too. */
static void *registered(uint64_t bytes)
{
    int file = memfd_create("litmpi", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static int made_all(struct litmpi_verbs *v, const char *wanted, struct litmpi_address *mine, uint32_t *queues, const char **call)
{
    struct ibv_device_attr attr;
    uint64_t count = (uint64_t)v->nodes;
    v->cq = calloc(count, sizeof(struct ibv_cq *));
    v->qp = calloc(count, sizeof(struct ibv_qp *));
    v->address = calloc(count, sizeof *v->address);
    if (!v->cq || !v->qp || !v->address || !(v->memory = registered(v->bytes)))
        return failed(call, "memory");
    errno = 0;
    if (!(v->context = device(wanted)))
        return failed(call, "there is no such RDMA device (LITMPI_DEVICE)");
    if (!(v->pd = ibv_alloc_pd(v->context)))
        return failed(call, "ibv_alloc_pd");
    if ((errno = ibv_query_port(v->context, 1, &v->port)))
        return failed(call, "ibv_query_port");
    if ((errno = ibv_query_device(v->context, &attr)))
        return failed(call, "ibv_query_device");
    v->reads = attr.max_qp_rd_atom < 16 ? attr.max_qp_rd_atom : 16;
    v->mr = ibv_reg_mr(v->pd, v->memory, v->bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    if (!v->mr)
        return failed(call, "ibv_reg_mr");
    for (int n = 0; n < v->nodes; n++) {
        if (n == v->rank)
            continue;
        struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC};
        init.cap = (struct ibv_qp_cap){.max_send_wr = LITMPI_DEPTH, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1};
        if (!(v->cq[n] = ibv_create_cq(v->context, 2 * LITMPI_DEPTH, NULL, NULL, 0)))
            return failed(call, "ibv_create_cq");
        init.send_cq = init.recv_cq = v->cq[n];
        if (!(v->qp[n] = ibv_create_qp(v->pd, &init)))
            return failed(call, "ibv_create_qp");
        queues[n] = v->qp[n]->qp_num;
    }
    *mine = (struct litmpi_address){.memory = (uintptr_t)v->memory, .rkey = v->mr->rkey, .lid = v->port.lid};
    union ibv_gid gid;
    if (v->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        if (ibv_query_gid(v->context, 1, v->gid_index, &gid))
            return failed(call, "ibv_query_gid (LITMPI_GID_INDEX)");
        memcpy(mine->gid, gid.raw, sizeof mine->gid);
    }
    return 0;
}

int litmpi_verbs_open(struct litmpi_verbs **made, const char *device, int gid_index, int rank, int nodes, uint64_t bytes,
                      struct litmpi_address *mine, uint32_t *queues, const char **call)
{
    struct litmpi_verbs *v = calloc(1, sizeof *v);
    if (!v)
        return failed(call, "memory");
    *v = (struct litmpi_verbs){.rank = rank, .nodes = nodes, .bytes = bytes, .gid_index = gid_index};
    int error = made_all(v, device, mine, queues, call);
    if (error)
        litmpi_verbs_close(v);
    else
        *made = v;
    return error;
}

void *litmpi_verbs_memory(struct litmpi_verbs *v)
{
    return v->memory;
}

int litmpi_verbs_connect(struct litmpi_verbs *v, int node, const struct litmpi_address *to, uint32_t queue, const char **call)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    v->address[node] = *to;
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    errno = ibv_modify_qp(v->qp[node], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    if (errno)
        return failed(call, "ibv_modify_qp to INIT");
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .dest_qp_num = queue, .min_rnr_timer = 1};
    attr.path_mtu = v->port.active_mtu < IBV_MTU_1024 ? v->port.active_mtu : IBV_MTU_1024;
    attr.max_dest_rd_atomic = (uint8_t)v->reads;
    attr.ah_attr = (struct ibv_ah_attr){.port_num = 1, .dlid = to->lid};
    if (v->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        memcpy(attr.ah_attr.grh.dgid.raw, to->gid, sizeof to->gid);
        attr.ah_attr.grh.sgid_index = (uint8_t)v->gid_index;
        attr.ah_attr.grh.hop_limit = 64;
    }
    errno = ibv_modify_qp(v->qp[node], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                                  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
    if (errno)
        return failed(call, "ibv_modify_qp to RTR");
    /* Six tries, each longer than half a second: software devices answer late. */
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 17, .retry_cnt = 6, .rnr_retry = 7};
    attr.max_rd_atomic = (uint8_t)v->reads;
    errno = ibv_modify_qp(v->qp[node], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                                                  IBV_QP_MAX_QP_RD_ATOMIC);
    return errno ? failed(call, "ibv_modify_qp to RTS") : 0;
}

int litmpi_verbs_post(struct litmpi_verbs *v, int is_read, int node, uint64_t far, uint64_t own, uint32_t bytes)
{
    struct ibv_sge sge = {.addr = (uintptr_t)v->memory + own, .length = bytes, .lkey = v->mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED}, *bad;
    wr.opcode = is_read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = v->address[node].memory + far;
    wr.wr.rdma.rkey = v->address[node].rkey;
    return ibv_post_send(v->qp[node], &wr, &bad);
}

int litmpi_verbs_poll(struct litmpi_verbs *v, int node, const char **status)
{
    struct ibv_wc wc;
    int n = ibv_poll_cq(v->cq[node], 1, &wc);
    if (n == 1 && wc.status != IBV_WC_SUCCESS) {
        *status = ibv_wc_status_str(wc.status);
        return -1;
    }
    if (n < 0)
        *status = "ibv_poll_cq";
    return n < 0 ? -1 : n;
}

void litmpi_verbs_close(struct litmpi_verbs *v)
{
    for (int n = 0; n < v->nodes; n++) {
        if (v->qp && v->qp[n])
            ibv_destroy_qp(v->qp[n]);
        if (v->cq && v->cq[n])
            ibv_destroy_cq(v->cq[n]);
    }
    if (v->mr)
        ibv_dereg_mr(v->mr);
    if (v->pd)
        ibv_dealloc_pd(v->pd);
    if (v->context)
        ibv_close_device(v->context);
    if (v->memory)
        munmap(v->memory, v->bytes);
    free(v->cq);
    free(v->qp);
    free(v->address);
    free(v);
}
