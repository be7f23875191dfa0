/* The device: memory that is registered, a queue pair towards each other process, work requests and completions. */
#define _GNU_SOURCE
#include "litmpi-net.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEPTH = 64 };

/* What a process says of itself. */
struct litmpi_address {
    uint64_t memory;
    uint32_t rkey;
    uint16_t lid;
    union ibv_gid gid;
};

struct litmpi_device {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_cq **cq;
    struct ibv_qp **qp;
    struct litmpi_address *address;
    const char *meet;
};

void litmpi_net_failed(const char *what)
{
    fprintf(stderr, "litmpi: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(3);
}

void *litmpi_zeroed(uint64_t bytes)
{
    void *made = calloc(1, bytes);
    if (!made)
        litmpi_net_failed("memory");
    return made;
}

void litmpi_work_begin(struct litmpi_net *net, struct litmpi_work *work)
{
    work->last = litmpi_zeroed((uint64_t)net->nodes * sizeof *work->last);
}

uint64_t litmpi_take(struct litmpi_net *net, uint64_t bytes)
{
    uint64_t at = net->taken;
    errno = 0;
    if (bytes > net->bytes - at)
        litmpi_net_failed("there is not enough registered memory for this object: open the net with more bytes");
    net->taken += bytes;
    return at;
}

struct litmpi_nodes litmpi_nodes_copy(struct litmpi_net *net, struct litmpi_nodes nodes)
{
    int *of = litmpi_zeroed((uint64_t)(nodes.count > 0 ? nodes.count : 1) * sizeof *of);
    errno = 0;
    for (int i = 0; i < nodes.count; i++) {
        of[i] = nodes.of[i];
        if (of[i] < 0 || of[i] >= net->nodes)
            litmpi_net_failed("there is no process with this rank");
    }
    return (struct litmpi_nodes){nodes.count, of};
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
    if (!found)
        litmpi_net_failed("there is no such RDMA device (LITMPI_DEVICE)");
    return found;
}

/* Of a file that cannot shrink, which a device that is a process can map, too. */
static char *registered(uint64_t bytes)
{
    int file = memfd_create("litmpi", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, (off_t)bytes) || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK))
        litmpi_net_failed("memory");
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        litmpi_net_failed("memory");
    return memory;
}

static void connect_to(struct litmpi_device *d, int node, uint32_t qpn, const struct ibv_port_attr *port, int gid_index, int reads)
{
    const struct litmpi_address *to = &d->address[node];
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    if (ibv_modify_qp(d->qp[node], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
        litmpi_net_failed("ibv_modify_qp to INIT");
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .dest_qp_num = qpn, .min_rnr_timer = 1};
    attr.path_mtu = port->active_mtu < IBV_MTU_1024 ? port->active_mtu : IBV_MTU_1024;
    attr.max_dest_rd_atomic = (uint8_t)reads;
    attr.ah_attr = (struct ibv_ah_attr){.port_num = 1, .dlid = to->lid};
    if (port->link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.ah_attr.is_global = 1;
        attr.ah_attr.grh.dgid = to->gid;
        attr.ah_attr.grh.sgid_index = (uint8_t)gid_index;
        attr.ah_attr.grh.hop_limit = 64;
    }
    if (ibv_modify_qp(d->qp[node], &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                              IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
        litmpi_net_failed("ibv_modify_qp to RTR");
    /* Six tries, each longer than half a second: software devices answer late. */
    attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 17, .retry_cnt = 6, .rnr_retry = 7, .max_rd_atomic = (uint8_t)reads};
    if (ibv_modify_qp(d->qp[node], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                                              IBV_QP_MAX_QP_RD_ATOMIC))
        litmpi_net_failed("ibv_modify_qp to RTS");
}

struct litmpi_net *litmpi_net_open(int rank, int nodes, uint64_t bytes, const char *meet)
{
    errno = 0;
    if (nodes < 1 || rank < 0 || rank >= nodes || bytes == 0)
        litmpi_net_failed("a rank is from 0 to below the number of processes, and there is some memory");
    struct litmpi_net *net = litmpi_zeroed(sizeof *net);
    struct litmpi_device *d = litmpi_zeroed(sizeof *d);
    const char *index = getenv("LITMPI_GID_INDEX");
    int gid_index = index ? atoi(index) : 0;
    uint64_t count = (uint64_t)nodes;
    *net = (struct litmpi_net){.rank = rank, .nodes = nodes, .bytes = bytes, .device = d};
    net->posted = litmpi_zeroed(count * sizeof *net->posted);
    net->done = litmpi_zeroed(count * sizeof *net->done);
    d->meet = strdup(meet);
    d->context = device(getenv("LITMPI_DEVICE"));
    d->pd = ibv_alloc_pd(d->context);
    struct ibv_port_attr port;
    struct ibv_device_attr attr;
    if (!d->meet || !d->pd || ibv_query_port(d->context, 1, &port) || ibv_query_device(d->context, &attr))
        litmpi_net_failed("ibv_alloc_pd, ibv_query_port or ibv_query_device");
    net->memory = registered(bytes);
    d->mr = ibv_reg_mr(d->pd, net->memory, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    if (!d->mr)
        litmpi_net_failed("ibv_reg_mr");
    d->cq = litmpi_zeroed(count * sizeof(struct ibv_cq *));
    d->qp = litmpi_zeroed(count * sizeof(struct ibv_qp *));
    d->address = litmpi_zeroed(count * sizeof *d->address);
    uint32_t *own = litmpi_zeroed(count * sizeof *own), *all = litmpi_zeroed(count * count * sizeof *all);
    for (int n = 0; n < nodes; n++) {
        if (n == rank)
            continue;
        struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC};
        init.cap = (struct ibv_qp_cap){.max_send_wr = DEPTH, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1};
        d->cq[n] = ibv_create_cq(d->context, 2 * DEPTH, NULL, NULL, 0);
        init.send_cq = init.recv_cq = d->cq[n];
        d->qp[n] = d->cq[n] ? ibv_create_qp(d->pd, &init) : NULL;
        if (!d->qp[n])
            litmpi_net_failed("ibv_create_cq or ibv_create_qp");
        own[n] = d->qp[n]->qp_num;
    }
    struct litmpi_address mine = {.memory = (uintptr_t)net->memory, .rkey = d->mr->rkey, .lid = port.lid};
    if (port.link_layer == IBV_LINK_LAYER_ETHERNET && ibv_query_gid(d->context, 1, gid_index, &mine.gid))
        litmpi_net_failed("ibv_query_gid");
    litmpi_meet_all(meet, rank, nodes, "address", &mine, d->address, sizeof mine);
    litmpi_meet_all(meet, rank, nodes, "queues", own, all, count * sizeof *own);
    int reads = attr.max_qp_rd_atom < 16 ? attr.max_qp_rd_atom : 16;
    for (int n = 0; n < nodes; n++)
        if (n != rank)
            connect_to(d, n, all[(uint64_t)n * count + (uint64_t)rank], &port, gid_index, reads);
    char ready = 1;
    litmpi_meet_all(meet, rank, nodes, "ready", &ready, litmpi_zeroed(count), 1);
    free(own);
    free(all);
    return net;
}

struct litmpi_net *litmpi_net_from_environment(void)
{
    const char *rank = getenv("LITMPI_RANK"), *nodes = getenv("LITMPI_NODES"), *meet = getenv("LITMPI_MEET");
    const char *bytes = getenv("LITMPI_BYTES");
    errno = 0;
    if (!rank || !nodes || !meet)
        litmpi_net_failed("LITMPI_RANK, LITMPI_NODES and LITMPI_MEET say which process this is, how many there are, and where they meet");
    return litmpi_net_open(atoi(rank), atoi(nodes), bytes ? strtoull(bytes, NULL, 10) : 1 << 20, meet);
}

/* Takes a completion if there is one. Those of a queue pair come in its order. */
static int completed(struct litmpi_net *net, int node)
{
    struct ibv_wc wc;
    int n = ibv_poll_cq(net->device->cq[node], 1, &wc);
    if (n < 0)
        litmpi_net_failed("ibv_poll_cq");
    errno = 0;
    if (n == 1 && wc.status != IBV_WC_SUCCESS)
        litmpi_net_failed(ibv_wc_status_str(wc.status));
    net->done[node] += n == 1;
    return n == 1;
}

static void post(struct litmpi_net *net, enum ibv_wr_opcode opcode, int node, uint64_t far, uint64_t own, struct litmpi_work *work)
{
    struct litmpi_device *d = net->device;
    struct ibv_sge sge = {.addr = (uintptr_t)net->memory + own, .length = 8, .lkey = d->mr->lkey};
    struct ibv_send_wr wr = {.opcode = opcode, .sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED}, *bad;
    errno = 0;
    if (node < 0 || node >= net->nodes || node == net->rank)
        litmpi_net_failed("puts and gets go to other processes");
    while (net->posted[node] - net->done[node] >= DEPTH)
        if (!completed(net, node))
            litmpi_pause(net);
    wr.wr.rdma.remote_addr = d->address[node].memory + far;
    wr.wr.rdma.rkey = d->address[node].rkey;
    errno = ibv_post_send(d->qp[node], &wr, &bad);
    if (errno)
        litmpi_net_failed("ibv_post_send");
    work->last[node] = ++net->posted[node];
}

void litmpi_put(struct litmpi_net *net, int node, uint64_t to, uint64_t own, struct litmpi_work *work)
{
    post(net, IBV_WR_RDMA_WRITE, node, to, own, work);
}

void litmpi_get(struct litmpi_net *net, int node, uint64_t from, uint64_t own, struct litmpi_work *work)
{
    post(net, IBV_WR_RDMA_READ, node, from, own, work);
}

void litmpi_wait(struct litmpi_net *net, const struct litmpi_work *work)
{
    for (int n = 0; n < net->nodes; n++)
        while (net->done[n] < work->last[n])
            if (!completed(net, n))
                litmpi_pause(net);
}

void litmpi_net_close(struct litmpi_net *net)
{
    char done = 1;
    for (int n = 0; n < net->nodes; n++)
        while (net->done[n] < net->posted[n])
            if (!completed(net, n))
                litmpi_pause(net);
    litmpi_meet_all(net->device->meet, net->rank, net->nodes, "close", &done, litmpi_zeroed((uint64_t)net->nodes), 1);
    for (int n = 0; n < net->nodes; n++)
        if (n != net->rank) {
            ibv_destroy_qp(net->device->qp[n]);
            ibv_destroy_cq(net->device->cq[n]);
        }
    ibv_dereg_mr(net->device->mr);
    ibv_dealloc_pd(net->device->pd);
    ibv_close_device(net->device->context);
}
