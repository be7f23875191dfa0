/* Devices, contexts, memory regions, completion queues and queue pairs. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#undef ibv_query_port

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static struct ibv_device device = {
    .node_type = IBV_NODE_CA,
    .transport_type = IBV_TRANSPORT_IB,
    .name = "litmpi0",
    .dev_name = "litmpi0",
    .dev_path = "/nonexistent",
    .ibdev_path = "/nonexistent",
};

/* ---- devices ---- */

const char *ibv_get_sysfs_path(void)
{
    static char path[IBV_SYSFS_PATH_MAX];
    const char *dir = getenv("LITMPI_NIC");
    snprintf(path, sizeof path, "%s/sys", dir ? dir : "");
    return path;
}

struct ibv_device **ibv_get_device_list(int *n)
{
    int here = getenv("LITMPI_NIC") != NULL;
    struct ibv_device **list = calloc(2, sizeof *list);
    if (list && here) {
        list[0] = &device;
        snprintf(device.ibdev_path, sizeof device.ibdev_path, "%s/class/infiniband/%s", ibv_get_sysfs_path(), device.name);
        snprintf(device.dev_path, sizeof device.dev_path, "%s", device.ibdev_path);
    }
    if (n)
        *n = list ? here : 0;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *d)
{
    return d->name;
}

__be64 ibv_get_device_guid(struct ibv_device *d)
{
    (void)d;
    return htobe64(0x02006c69746d7069);
}

int ibv_get_device_index(struct ibv_device *d)
{
    (void)d;
    return 0;
}

/* What a file of the device says, without the end of its line; how long that is. */
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, buf, size);
    close(fd);
    if (n > 0 && buf[n - 1] == '\n')
        buf[--n] = '\0';
    else if (n >= 0 && (size_t)n < size)
        buf[n] = '\0';
    return (int)n;
}

int ibv_fork_init(void)
{
    return 0; /* no page is pinned */
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
    return IBV_FORK_UNNEEDED;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size);
static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size);
static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init);
static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init);

/* Makes a region whose number nobody has: the engine looks for numbers in order. */
static int make_region(struct nic_context *c)
{
    char path[4096], name[4096];
    const char *dir = getenv("LITMPI_NIC");
    snprintf(path, sizeof path, "%s/new.%d.%p", dir, (int)getpid(), (void *)c);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    int error = 0;
    c->region = MAP_FAILED;
    if (ftruncate(fd, (off_t)(8ull * NIC_WORDS)) == 0)
        c->region = mmap(NULL, 8ull * NIC_WORDS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (c->region == MAP_FAILED)
        error = errno;
    close(fd);
    if (!error) {
        nic_set(c->region + NIC_PID, (uint64_t)getpid());
        do
            snprintf(name, sizeof name, "%s/%d", dir, c->number);
        while (link(path, name) != 0 && errno == EEXIST && ++c->number < NIC_REGIONS);
        if (c->number >= NIC_REGIONS)
            error = EMFILE;
    }
    unlink(path);
    return error;
}

struct ibv_context *ibv_open_device(struct ibv_device *d)
{
    struct nic_context *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    int events[2];
    if (pipe2(events, O_CLOEXEC)) {
        free(c);
        return NULL;
    }
    fcntl(events[1], F_SETFL, O_NONBLOCK);
    errno = make_region(c);
    if (errno) {
        close(events[0]);
        close(events[1]);
        free(c);
        return NULL;
    }
    /* Where only a parent may touch a process's memory, the engine may. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    struct ibv_context *context = &c->verbs.context;
    context->device = d;
    context->ops.poll_cq = nic_poll_cq;
    context->ops.req_notify_cq = nic_req_notify_cq;
    context->ops.post_send = nic_post_send;
    context->ops.post_recv = nic_post_recv;
    context->ops.post_srq_recv = nic_post_srq_recv;
    context->cmd_fd = -1;
    context->async_fd = events[0];
    c->tell = events[1];
    context->num_comp_vectors = 1;
    pthread_mutex_init(&context->mutex, NULL);
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    c->verbs.sz = sizeof c->verbs;
    c->verbs.query_port = query_port;
    c->verbs.query_device_ex = query_device_ex;
    c->verbs.create_cq_ex = create_cq_ex;
    c->verbs.create_qp_ex = create_qp_ex;
    return context;
}

int ibv_close_device(struct ibv_context *context)
{
    struct nic_context *c = nic_context(context);
    nic_set(c->region + NIC_CLOSED, 1);
    munmap((void *)c->region, 8ull * NIC_WORDS);
    close(context->async_fd);
    close(c->tell);
    free(c);
    return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
    const char *name = getenv("LITMPI_NIC_NAME");
    memset(attr, 0, sizeof *attr);
    snprintf(attr->fw_ver, sizeof attr->fw_ver, "%s", name ? name : "?");
    attr->node_guid = attr->sys_image_guid = ibv_get_device_guid(context->device);
    attr->max_mr_size = UINT64_MAX;
    attr->page_size_cap = 0xfffff000;
    attr->vendor_id = 0x6c69;
    attr->vendor_part_id = 1;
    attr->hw_ver = 1;
    attr->max_qp = NIC_QP_COUNT;
    attr->max_qp_wr = NIC_SENDS;
    attr->max_sge = attr->max_sge_rd = NIC_SGES;
    attr->max_cq = NIC_CQ_COUNT;
    attr->max_cqe = NIC_CQES;
    attr->max_mr = NIC_MR_COUNT;
    attr->max_pd = 1 << 16;
    attr->max_srq = NIC_SRQ_COUNT;
    attr->max_srq_wr = NIC_RECVS;
    attr->max_srq_sge = NIC_RECV_SGES;
    attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
    attr->max_res_rd_atom = 16 * NIC_QP_COUNT;
    attr->atomic_cap = IBV_ATOMIC_HCA; /* not against processors */
    attr->max_pkeys = 1;
    attr->max_ah = 1 << 16;
    attr->local_ca_ack_delay = 15;
    attr->phys_port_cnt = 1;
    return 0;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size)
{
    (void)input;
    memset(attr, 0, size);
    return ibv_query_device(context, &attr->orig_attr);
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
    struct ibv_port_attr a = {0};
    (void)context;
    if (port != 1)
        return EINVAL;
    a.state = IBV_PORT_ACTIVE;
    a.max_mtu = a.active_mtu = IBV_MTU_4096;
    a.gid_tbl_len = 1;
    a.max_msg_sz = 1u << 30;
    a.pkey_tbl_len = 1;
    a.lid = a.sm_lid = NIC_LID;
    a.active_width = 2;
    a.active_speed = 32;
    a.phys_state = 5;
    a.link_layer = IBV_LINK_LAYER_INFINIBAND;
    memcpy(attr, &a, size < sizeof a ? size : sizeof a);
    return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
    return query_port(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
    if (port != 1 || index != 0) {
        errno = EINVAL;
        return -1;
    }
    gid->global.subnet_prefix = htobe64(0xfe80000000000000);
    gid->global.interface_id = ibv_get_device_guid(context->device);
    return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
                      uint32_t flags, size_t size)
{
    struct ibv_gid_entry e = {0};
    (void)flags;
    if (ibv_query_gid(context, (uint8_t)port, (int)index, &e.gid))
        return errno;
    e.gid_index = index;
    e.port_num = port;
    e.gid_type = IBV_GID_TYPE_IB;
    memcpy(entry, &e, size < sizeof e ? size : sizeof e);
    return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room, uint32_t flags,
                             size_t size)
{
    int error = room ? _ibv_query_gid_ex(context, 1, 0, entries, flags, size) : EINVAL;
    return error ? -error : 1;
}

int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned index, int *type)
{
    (void)context, (void)port, (void)index;
    *type = 0;
    return 0;
}

int ibv_query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
    (void)context;
    *pkey = htobe16(0xffff);
    return port == 1 && index == 0 ? 0 : -1;
}

int ibv_get_pkey_index(struct ibv_context *context, uint8_t port, __be16 pkey)
{
    (void)context, (void)port;
    return pkey == htobe16(0xffff) ? 0 : -1;
}

/* ---- memory ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = calloc(1, sizeof *pd);
    if (pd)
        pd->context = context;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    free(pd);
    return 0;
}

/* ---- completion queues ---- */

static struct nic_cq *make_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel)
{
    struct nic_context *c = nic_context(context);
    struct nic_cq *q = cqe > 0 && cqe <= NIC_CQES ? calloc(1, sizeof *q) : NULL;
    if (!q) {
        errno = EINVAL;
        return NULL;
    }
    pthread_mutex_lock(&making);
    for (unsigned i = 0; i < NIC_CQ_COUNT && !q->at; i++)
        if (!nic_get(nic_cq_at(c, i) + NIC_CQ_ALIVE)) {
            q->at = nic_cq_at(c, i);
            q->cq.handle = i;
            nic_set(q->at + NIC_CQ_PRODUCED, 0);
            nic_set(q->at + NIC_CQ_CONSUMED, 0);
            nic_set(q->at + NIC_CQ_ARMED, 0);
            nic_set(q->at + NIC_CQ_CHANNEL, channel ? ((struct nic_channel *)channel)->number : 0);
            nic_set(q->at + NIC_CQ_ALIVE, 1);
        }
    pthread_mutex_unlock(&making);
    if (!q->at) {
        free(q);
        errno = ENOMEM;
        return NULL;
    }
    q->cq.context = context;
    q->cq.channel = channel;
    q->cq.cq_context = cq_context;
    q->cq.cqe = cqe;
    pthread_spin_init(&q->lock, PTHREAD_PROCESS_PRIVATE);
    atomic_store(&c->cqs[q->cq.handle], (struct ibv_cq *)&q->cq);
    if (channel)
        channel->refcnt++;
    return q;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
                             int vector)
{
    (void)vector;
    struct nic_cq *q = make_cq(context, cqe, cq_context, channel);
    return q ? (struct ibv_cq *)&q->cq : NULL;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init)
{
    if (init->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS) {
        errno = EOPNOTSUPP; /* no time stamps */
        return NULL;
    }
    struct nic_cq *q = make_cq(context, (int)init->cqe, init->cq_context, init->channel);
    return q ? &q->cq : NULL;
}

/* Every queue has room for as many as any may have. */
int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
    if (cqe <= 0 || cqe > NIC_CQES)
        return EINVAL;
    cq->cqe = cqe;
    return 0;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    nic_set(((struct nic_cq *)cq)->at + NIC_CQ_ALIVE, 0);
    atomic_store(&nic_context(cq->context)->cqs[cq->handle], NULL);
    if (cq->channel)
        cq->channel->refcnt--;
    free(cq);
    return 0;
}

/* ---- queue pairs ---- */

static struct ibv_qp *make_qp(struct ibv_context *context, struct ibv_pd *pd, const struct ibv_qp_init_attr *init)
{
    struct nic_context *c = nic_context(context);
    struct nic_qp *q = init->qp_type == IBV_QPT_RC || init->qp_type == IBV_QPT_UD ? calloc(1, sizeof *q) : NULL;
    if (!q || !init->send_cq || !init->recv_cq || init->cap.max_send_wr > NIC_SENDS ||
        (!init->srq && init->cap.max_recv_wr > NIC_RECVS) || init->cap.max_send_sge > NIC_SGES || init->cap.max_recv_sge > NIC_RECV_SGES ||
        init->cap.max_inline_data > NIC_INLINE) {
        free(q);
        errno = q ? EINVAL : EOPNOTSUPP;
        return NULL;
    }
    pthread_mutex_lock(&making);
    for (unsigned i = 0; i < NIC_QP_COUNT && !q->at; i++)
        if (!nic_get(nic_qp_at(c, i) + NIC_QP_ALIVE)) {
            q->at = nic_qp_at(c, i);
            for (int w = 0; w < NIC_QP_HEAD; w++)
                nic_set(q->at + w, 0);
            nic_set(q->at + NIC_QP_SEND_CQ, init->send_cq->handle);
            nic_set(q->at + NIC_QP_RECV_CQ, init->recv_cq->handle);
            nic_set(q->at + NIC_QP_SRQ, init->srq ? init->srq->handle + 1 : 0);
            nic_set(q->at + NIC_QP_TYPE, init->qp_type);
            nic_set(q->at + NIC_QP_ALIVE, nic_get(c->region + NIC_GENERATION) + 1);
            nic_set(c->region + NIC_GENERATION, nic_get(c->region + NIC_GENERATION) + 1);
            q->qp.qp_base.handle = i;
        }
    pthread_mutex_unlock(&making);
    if (!q->at) {
        free(q);
        errno = ENOMEM;
        return NULL;
    }
    struct ibv_qp *qp = &q->qp.qp_base;
    qp->context = context;
    qp->qp_context = init->qp_context;
    qp->pd = pd;
    qp->send_cq = init->send_cq;
    qp->recv_cq = init->recv_cq;
    qp->srq = init->srq;
    qp->qp_num = (uint32_t)(c->number + 1) * NIC_QP_COUNT + qp->handle;
    qp->state = IBV_QPS_RESET;
    qp->qp_type = init->qp_type;
    q->init = *init;
    q->init.cap.max_inline_data = NIC_INLINE;
    q->attr.cap = q->init.cap;
    pthread_spin_init(&q->send_lock, PTHREAD_PROCESS_PRIVATE);
    q->receives = (struct nic_receives){.posted = q->at + NIC_QP_RPOSTED, .taken = q->at + NIC_QP_RTAKEN, .ring = q->at + NIC_QP_RECV_RING};
    pthread_spin_init(&q->receives.lock, PTHREAD_PROCESS_PRIVATE);
    nic_set_wr_calls(&q->qp);
    return qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    struct ibv_qp *qp = make_qp(pd->context, pd, init);
    if (qp)
        init->cap = ((struct nic_qp *)qp)->init.cap;
    return qp;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init)
{
    const uint64_t can = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
                         IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ;
    if (!(init->comp_mask & IBV_QP_INIT_ATTR_PD) ||
        (init->comp_mask & ~(uint32_t)(IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)) ||
        ((init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) && (init->send_ops_flags & ~can))) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    /* The extended structure begins as the plain one does. */
    return make_qp(context, init->pd, (struct ibv_qp_init_attr *)init);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
    return (struct ibv_qp_ex *)qp;
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
    struct nic_context *c = nic_context(q->qp.qp_base.context);
    const int counters[] = {NIC_QP_POSTED, NIC_QP_TAKEN, NIC_QP_DONE, NIC_QP_URGENT, NIC_QP_RPOSTED, NIC_QP_RTAKEN};
    reach(q, NIC_STILL + nic_get(q->at + NIC_QP_ALIVE));
    pthread_mutex_lock(&making);
    uint64_t generation = nic_get(c->region + NIC_GENERATION) + 1;
    nic_set(q->at + NIC_QP_ALIVE, generation);
    nic_set(c->region + NIC_GENERATION, generation);
    pthread_mutex_unlock(&making);
    reach(q, NIC_STILL + generation);
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++)
        nic_set(q->at + counters[i], 0);
    nic_set(q->at + NIC_QP_REACHED, 0);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    if (mask & IBV_QP_DEST_QPN)
        nic_set(q->at + NIC_QP_DEST, attr->dest_qp_num);
    if (mask & IBV_QP_ACCESS_FLAGS)
        nic_set(q->at + NIC_QP_ACCESS, attr->qp_access_flags);
    if (mask & IBV_QP_QKEY)
        nic_set(q->at + NIC_QP_QKEY, attr->qkey);
    if (mask & IBV_QP_RNR_RETRY)
        nic_set(q->at + NIC_QP_RNR_RETRY, attr->rnr_retry);
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
    if (mask & IBV_QP_STATE) {
        qp->state = attr->qp_state;
        nic_set(q->at + NIC_QP_STATE, (uint64_t)attr->qp_state);
        if (qp->state == IBV_QPS_ERR)
            reach(q, IBV_QPS_ERR);
        if (qp->state == IBV_QPS_RESET)
            empty(q);
        if (qp->state == IBV_QPS_ERR && qp->srq)
            nic_event(nic_context(qp->context), IBV_EVENT_QP_LAST_WQE_REACHED, qp);
    }
    return 0;
}

/* Asking a queue pair's state waits until it has done everything that it was asked for, write-backs included. */
int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
    struct nic_qp *q = (struct nic_qp *)qp;
    (void)mask;
    uint64_t posted = nic_get(q->at + NIC_QP_POSTED);
    for (long polls = 0; nic_get(q->at + NIC_QP_DONE) < posted && nic_get(q->at + NIC_QP_STATE) == IBV_QPS_RTS; polls++) {
        nic_set(q->at + NIC_QP_URGENT, 1);
        sched_yield();
    }
    qp->state = (enum ibv_qp_state)nic_get(q->at + NIC_QP_STATE);
    *attr = q->attr;
    attr->qp_state = attr->cur_qp_state = qp->state;
    *init = q->init;
    return 0;
}

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
    (void)qp, (void)op, (void)flags;
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
    nic_set(((struct nic_qp *)qp)->at + NIC_QP_ALIVE, 0);
    free(qp);
    return 0;
}
