/* The device, and contexts of it. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#undef ibv_query_port

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

/* ---- contexts ---- */

/* Has the memory of words of a region there, or says why not: a region is a file that is long, and where the file system is full, whoever
 * touches what is not there is killed, device or program. A kernel before 5.14 does not know how. */
int nic_have(word *from, uint64_t words)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)from & ~(page - 1);
    uintptr_t behind = ((uintptr_t)(from + words) + page - 1) & ~(page - 1);
    while (madvise((void *)first, behind - first, 23 /* MADV_POPULATE_WRITE, which headers may lack */))
        if (errno != EINTR && errno != EAGAIN)
            return errno == EINVAL ? 0 : ENOSPC;
    return 0;
}

/* What the device looks at of a region of which nothing is used. */
static int have_heads(word *region)
{
    int error = nic_have(region, NIC_CQS);
    for (uint64_t i = 0; !error && i < NIC_CQ_COUNT; i++)
        error = nic_have(region + NIC_CQS + i * NIC_CQ_WORDS, NIC_CQ_RING);
    for (uint64_t i = 0; !error && i < NIC_QP_COUNT; i++)
        error = nic_have(region + NIC_QPS + i * NIC_QP_WORDS, NIC_QP_HEAD);
    for (uint64_t i = 0; !error && i < NIC_SRQ_COUNT; i++)
        error = nic_have(region + NIC_SRQS + i * NIC_SRQ_WORDS, NIC_SRQ_RING);
    return error;
}

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
    if (!error && (error = have_heads(c->region)))
        munmap((void *)c->region, 8ull * NIC_WORDS);
    if (!error) {
        nic_set(c->region + NIC_PID, (uint64_t)getpid());
        /* One device serves a process, unless its threads play nodes. */
        const char *alone = getenv("LITMPI_NIC_NODES");
        nic_set(c->region + NIC_ALONE, alone && strcmp(alone, "contexts") == 0);
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
    errno = make_region(c);
    if (!errno && (errno = nic_make_events(c))) {
        nic_set(c->region + NIC_CLOSED, 1);
        munmap((void *)c->region, 8ull * NIC_WORDS);
    }
    if (errno) {
        free(c);
        return NULL;
    }
    /* Where only a parent may touch a process's memory, the engine may. */
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    struct ibv_context *context = &c->verbs.context;
    context->device = d;
    nic_refuse_the_rest(&c->verbs);
    context->ops.alloc_mw = nic_alloc_mw;
    context->ops.bind_mw = nic_bind_mw;
    context->ops.dealloc_mw = nic_dealloc_mw;
    context->ops.poll_cq = nic_poll_cq;
    context->ops.req_notify_cq = nic_req_notify_cq;
    context->ops.post_send = nic_post_send;
    context->ops.post_recv = nic_post_recv;
    context->ops.post_srq_recv = nic_post_srq_recv;
    /* Programs share it and listen to it; there is nothing behind it. */
    context->cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    context->async_fd = c->hear;
    context->num_comp_vectors = 1;
    pthread_mutex_init(&context->mutex, NULL);
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    c->verbs.sz = sizeof c->verbs;
    c->verbs.query_port = query_port;
    c->verbs.query_device_ex = query_device_ex;
    c->verbs.create_cq_ex = nic_create_cq_ex;
    c->verbs.create_qp_ex = nic_create_qp_ex;
    c->verbs.create_srq_ex = nic_create_srq_ex;
    c->verbs.get_srq_num = nic_get_srq_num;
    c->verbs.open_xrcd = nic_open_xrcd;
    c->verbs.close_xrcd = nic_close_xrcd;
    return context;
}

int ibv_close_device(struct ibv_context *context)
{
    struct nic_context *c = nic_context(context);
    nic_set(c->region + NIC_CLOSED, 1);
    munmap((void *)c->region, 8ull * NIC_WORDS);
    nic_end_events(c);
    close(context->cmd_fd);
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
    attr->max_qp_wr = NIC_SENDS - 1;
    attr->max_sge = attr->max_sge_rd = NIC_SGES;
    attr->max_cq = NIC_CQ_COUNT;
    attr->max_cqe = NIC_CQES - 1;
    attr->max_mr = attr->max_mw = NIC_MR_COUNT; /* together */
    attr->device_cap_flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_XRC;
    attr->max_pd = 1 << 16;
    attr->max_srq = NIC_SRQ_COUNT;
    attr->max_srq_wr = NIC_RECVS - 1;
    attr->max_srq_sge = NIC_RECV_SGES;
    attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = NIC_RD_ATOMICS;
    attr->max_res_rd_atom = NIC_RD_ATOMICS * NIC_QP_COUNT;
    attr->atomic_cap = IBV_ATOMIC_HCA; /* not against processors */
    attr->max_mcast_grp = attr->max_total_mcast_qp_attach = NIC_QP_COUNT * NIC_GROUPS;
    attr->max_mcast_qp_attach = NIC_QP_COUNT;
    attr->max_pkeys = 1;
    attr->max_ah = 1 << 16;
    attr->local_ca_ack_delay = 15;
    attr->phys_port_cnt = 1;
    return 0;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size)
{
    struct ibv_device_attr_ex a = {0};
    if ((input && input->comp_mask) || size < sizeof attr->orig_attr)
        return EINVAL;
    ibv_query_device(context, &a.orig_attr);
    a.phys_port_cnt_ex = a.orig_attr.phys_port_cnt;
    memset(attr, 0, size);
    memcpy(attr, &a, size < sizeof a ? size : sizeof a);
    return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size)
{
    struct ibv_port_attr a = {0};
    if (port != 1)
        return EINVAL;
    int is_down = nic_get(nic_context(context)->region + NIC_PORT_DOWN) != 0;
    a.state = is_down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
    a.max_mtu = a.active_mtu = IBV_MTU_4096;
    a.gid_tbl_len = NIC_GIDS;
    a.max_msg_sz = 1u << 30;
    a.pkey_tbl_len = 1;
    a.lid = a.sm_lid = NIC_LID;
    a.active_width = 2;
    a.active_speed = 32;
    a.phys_state = is_down ? 2 : 5; /* it polls for the other end, or the link is up */
    a.link_layer = IBV_LINK_LAYER_INFINIBAND;
    memcpy(attr, &a, size < sizeof a ? size : sizeof a);
    return 0;
}

int ibv_query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
    return query_port(context, port, (struct ibv_port_attr *)attr, offsetof(struct ibv_port_attr, port_cap_flags2));
}

/* The table has room for more addresses than there are: those are zero. */
int ibv_query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
    if (port != 1 || index < 0 || index >= NIC_GIDS) {
        errno = EINVAL;
        return -1;
    }
    memset(gid, 0, sizeof *gid);
    if (index == 0) {
        gid->global.subnet_prefix = htobe64(0xfe80000000000000);
        gid->global.interface_id = ibv_get_device_guid(context->device);
    }
    return 0;
}

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port, uint32_t index, struct ibv_gid_entry *entry,
                      uint32_t flags, size_t size)
{
    struct ibv_gid_entry e = {0};
    if (flags || port > UINT8_MAX || ibv_query_gid(context, (uint8_t)port, (int)index, &e.gid))
        return EINVAL;
    if (index > 0)
        return ENODATA;
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
    (void)context;
    *type = 0;
    return port == 1 && index < NIC_GIDS ? 0 : -1;
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

/* ---- protection domains ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
    struct nic_pd *pd = calloc(1, sizeof *pd);
    if (!pd)
        return NULL;
    pd->pd.context = context;
    pd->pd.handle = atomic_fetch_add(&nic_context(context)->pds, 1) + 1;
    return &pd->pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    if (atomic_load(&((struct nic_pd *)pd)->users))
        return EBUSY;
    free(pd);
    return 0;
}
