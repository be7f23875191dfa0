/* The device: memory that is registered, queue pairs that are connected, work requests and completions.
 *
 * Each thread has, towards each other node, a queue pair that asks and a completion queue of its own; the other node
 * has one that answers it. Draining: a read of a location that no test uses goes through the same queue pair, which puts
 * earlier writes of that queue pair into the other node's memory (PCIe: a read does not pass writes); the queue pair is
 * asked whether it is still in order; everything that was asked for is polled. */
#define _GNU_SOURCE
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = LITMPI_DEPTH, RECEIVES = LITMPI_RECEIVES, SPARE = LITMPI_BLOCKS };

_Thread_local char *litmpi_memory;
_Thread_local int litmpi_poll_style;
static _Thread_local int literals, carries; /* carries: it is background traffic */

struct litmpi_device litmpi_devices[LITMPI_NODES];
static char library[256];

/* Lines of the registered memory: locations, a spare one that is read, then for each thread one that is written and
 * the constants of its puts. */
static int *thread_line(int number)
{
    return LITMPI_AT(LITMPI_BLOCKS + 1 + litmpi_local * (LITMPI_LITERALS + 1) + number);
}

void litmpi_call_failed(const char *what)
{
    char detail[256];
    snprintf(detail, sizeof detail, "%s: %s", what, strerror(errno));
    litmpi_fail("device", detail);
}

static struct ibv_context *open_device(const char *wanted)
{
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);
    struct ibv_context *found = NULL;
    for (int i = 0; list && i < n && !found; i++)
        if (!wanted || strcmp(ibv_get_device_name(list[i]), wanted) == 0) {
            found = ibv_open_device(list[i]);
            if (found && ibv_query_device(found, &HERE.attr) == 0 && litmpi_me == 0)
                snprintf(library, sizeof library, "%s, firmware %s", ibv_get_device_name(list[i]), HERE.attr.fw_ver);
        }
    if (list)
        ibv_free_device_list(list);
    return found;
}

/* Ends the launch: says which device was wanted, and which there are. */
static void no_device(const char *wanted)
{
    char detail[256];
    int n = 0, length = snprintf(detail, sizeof detail, "there is no RDMA device %s; there are:", wanted ? wanted : "");
    struct ibv_device **list = ibv_get_device_list(&n);
    for (int i = 0; list && i < n && length < (int)sizeof detail - 70; i++)
        length += snprintf(detail + length, sizeof detail - (size_t)length, " %s", ibv_get_device_name(list[i]));
    if (!list || n == 0)
        snprintf(detail, sizeof detail, "there is no RDMA device");
    litmpi_fail("device", detail);
}

const char *litmpi_library(void)
{
    return library;
}

/* What other nodes may do to this one's memory. */
static unsigned remote_access(void)
{
    unsigned atomic = HERE.attr.atomic_cap == IBV_ATOMIC_NONE ? 0 : IBV_ACCESS_REMOTE_ATOMIC;
    return IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | atomic;
}

void litmpi_initialise(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr = {0};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = remote_access();
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
        litmpi_call_failed("ibv_modify_qp to INIT");
}

static struct ibv_qp *create(enum ibv_qp_type type, struct ibv_cq *cq, struct ibv_cq *received, struct ibv_srq *srq)
{
    struct ibv_qp_init_attr init = {0};
    init.send_cq = cq;
    init.recv_cq = received;
    init.srq = srq;
    init.cap = (struct ibv_qp_cap){.max_send_wr = DEPTH, .max_recv_wr = srq ? 0 : RECEIVES, .max_send_sge = 1, .max_recv_sge = srq ? 0 : 1,
                                   .max_inline_data = LITMPI_BYTES};
    init.qp_type = type;
    struct ibv_qp *qp = ibv_create_qp(HERE.pd, &init);
    if (!qp)
        litmpi_call_failed("ibv_create_qp");
    litmpi_initialise(qp);
    return qp;
}

void litmpi_path_to(struct ibv_ah_attr *attr, const struct litmpi_host *host)
{
    attr->port_num = 1;
    attr->dlid = host->lid;
    if (HERE.port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr->is_global = 1;
        attr->grh.dgid = host->gid;
        attr->grh.sgid_index = (uint8_t)HERE.gid_index;
        attr->grh.hop_limit = 64;
    }
}

/* The emulated NIC's own bit, which asks it to settle; other devices are not asked with it. */
enum { SETTLE = 1 << 30 };

static int is_emulated(void)
{
    return getenv("LITMPI_NIC") != NULL;
}

enum ibv_qp_state litmpi_query(struct ibv_qp *qp)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    if (ibv_query_qp(qp, &attr, IBV_QP_STATE | (is_emulated() ? SETTLE : 0), &init))
        litmpi_call_failed("ibv_query_qp");
    return attr.qp_state;
}

void litmpi_connect(struct ibv_qp *qp, const struct litmpi_host *host, uint32_t qpn)
{
    struct ibv_qp_attr attr = {0};
    int reads = HERE.attr.max_qp_rd_atom < 16 ? HERE.attr.max_qp_rd_atom : 16;
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = HERE.port.active_mtu < IBV_MTU_1024 ? HERE.port.active_mtu : IBV_MTU_1024;
    attr.dest_qp_num = qpn;
    attr.max_dest_rd_atomic = (uint8_t)reads;
    attr.min_rnr_timer = 1;
    litmpi_path_to(&attr.ah_attr, host);
    int answers = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
    int asks = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
    if (qp->qp_type == IBV_QPT_UC)
        answers = asks = 0; /* nothing is answered, and nothing sent again */
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | answers))
        litmpi_call_failed("ibv_modify_qp to RTR");
    attr.qp_state = IBV_QPS_RTS;
    /* Half a second: an answer that is late is not lost, if the device is software. The emulated one loses none, and gives up at once
     * on an end that does not hear. */
    attr.timeout = is_emulated() ? 1 : 17;
    attr.retry_cnt = 6; /* Soft-RoCE tries without end if it is 7, which InfiniBand says of rnr_retry alone */
    attr.rnr_retry = litmpi_entry.no_rnr_retry ? 0 : 7;
    attr.max_rd_atomic = (uint8_t)reads;
    if (ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | asks))
        litmpi_call_failed("ibv_modify_qp to RTS");
}

/* Memory for the device, all 0: of a file that cannot shrink, which a device that is a process can map, too. */
static void *registered_memory(size_t bytes)
{
    int file = memfd_create("litmpi", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, (off_t)bytes) || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK))
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static enum ibv_qp_type type_of(int is_unreliable)
{
    return is_unreliable ? IBV_QPT_UC : IBV_QPT_RC;
}

/* Background traffic is of reliable connections. */
struct litmpi_queue *litmpi_asking(int local, int node)
{
    return &HERE.asks[!carries && litmpi_is_unreliable() ? LITMPI_UNRELIABLE : LITMPI_RELIABLE][local][node];
}

/* All connections of a test are of one type here; to the model, each is of its own. */
static void litmpi_check_type(const struct litmpi_queue *q)
{
    if (!carries && litmpi_is_unreliable() && !q->is_unreliable)
        litmpi_fail("test", "where one connection is unreliable, each that asks for something must be said to be: unreliable(n)");
}

void litmpi_queues_open(const char *device, int gid_index, int threads)
{
    struct litmpi_host *me = &litmpi_shared->host[litmpi_me];
    HERE.all_threads = threads;
    HERE.gid_index = gid_index;
    HERE.context = open_device(device && *device ? device : NULL);
    if (!HERE.context)
        no_device(device);
    HERE.pd = ibv_alloc_pd(HERE.context);
    if (!HERE.pd || ibv_query_port(HERE.context, 1, &HERE.port))
        litmpi_call_failed("ibv_alloc_pd or ibv_query_port");
    size_t bytes = (size_t)(LITMPI_BLOCKS + 1 + threads * (LITMPI_LITERALS + 1)) * LITMPI_LINE;
    void *memory = registered_memory(bytes);
    if (!memory)
        litmpi_call_failed("memory");
    litmpi_memory = memory;
    litmpi_guards_fill((int)(bytes / LITMPI_LINE));
    HERE.mr = ibv_reg_mr(HERE.pd, memory, bytes, IBV_ACCESS_LOCAL_WRITE | (int)remote_access() | (litmpi_any_binds() ? IBV_ACCESS_MW_BIND : 0));
    if (!HERE.mr)
        litmpi_call_failed("ibv_reg_mr");
    struct ibv_srq_init_attr shared = {.attr = {.max_wr = RECEIVES, .max_sge = 1}};
    if (litmpi_any_shares_receives() && !(HERE.srq = ibv_create_srq(HERE.pd, &shared)))
        litmpi_call_failed("ibv_create_srq");
    me->lid = HERE.port.lid;
    me->memory = (uintptr_t)memory;
    me->rkey = HERE.mr->rkey;
    if (HERE.port.link_layer == IBV_LINK_LAYER_ETHERNET && ibv_query_gid(HERE.context, 1, gid_index, &me->gid))
        litmpi_call_failed("ibv_query_gid");
    for (int t = 0; t < threads; t++)
        for (int n = 0; n < litmpi_nodes; n++) {
            if (n == litmpi_me)
                continue;
            struct ibv_cq *cq = ibv_create_cq(HERE.context, 2 * DEPTH, NULL, NULL, 0);
            if (!cq)
                litmpi_call_failed("ibv_create_cq");
            for (int kind = 0; kind < (litmpi_any_is_unreliable() ? LITMPI_ASKS : 1); kind++) {
                struct litmpi_queue *q = &HERE.asks[kind][t][n];
                q->cq = cq;
                q->qp = create(type_of(kind == LITMPI_UNRELIABLE), q->cq, q->cq, NULL);
                me->asks[kind][t][n].qpn = q->qp->qp_num;
            }
            for (int kind = 0; kind < LITMPI_ANSWERS; kind++) {
                struct litmpi_answer *answer = &HERE.answers[kind][t][n];
                int is_unreliable = kind == LITMPI_UNRELIABLE_RECEIVES;
                if ((kind == LITMPI_SHARED_RECEIVES && !HERE.srq) || (is_unreliable && !litmpi_any_is_unreliable()))
                    continue;
                answer->received = ibv_create_cq(HERE.context, RECEIVES, NULL, NULL, 0);
                if (!answer->received)
                    litmpi_call_failed("ibv_create_cq");
                struct ibv_srq *srq = kind == LITMPI_SHARED_RECEIVES ? HERE.srq : NULL;
                answer->qp = create(type_of(is_unreliable), cq, answer->received, srq);
                me->answers[kind][t][n].qpn = answer->qp->qp_num;
            }
        }
    litmpi_datagrams_open(threads);
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, 1);
    litmpi_datagrams_address();
    for (int t = 0; t < threads; t++)
        for (int n = 0; n < litmpi_nodes; n++) {
            const struct litmpi_host *host = &litmpi_shared->host[n];
            if (n == litmpi_me)
                continue;
            litmpi_connect(HERE.asks[LITMPI_RELIABLE][t][n].qp, host, host->answers[LITMPI_OWN_RECEIVES][t][litmpi_me].qpn);
            litmpi_connect(HERE.answers[LITMPI_OWN_RECEIVES][t][n].qp, host, host->asks[LITMPI_RELIABLE][t][litmpi_me].qpn);
        }
    litmpi_meet(&litmpi_shared->nodes, litmpi_nodes, 1);
}

/* The index of the node with this number. */
int litmpi_node_of(int number)
{
    for (int n = 0; n < litmpi_current->nodes; n++)
        if (litmpi_current->node[n].number == number)
            return n;
    litmpi_fail("node", "no such node");
    return 0;
}

/* The request's opcode, flags, remote location and operands are the caller's. */
void litmpi_post_request(struct ibv_send_wr *wr, int node, const int *local, unsigned length)
{
    struct litmpi_queue *q = litmpi_asking(litmpi_local, node);
    litmpi_check_type(q);
    struct ibv_sge sge = {.addr = (uintptr_t)local, .length = length, .lkey = HERE.mr->lkey};
    struct ibv_send_wr *bad;
    wr->sg_list = &sge;
    wr->num_sge = 1;
    wr->send_flags |= IBV_SEND_SIGNALED | (q->fence ? IBV_SEND_FENCE : 0u);
    q->fence = 0;
    q->used = 1;
    errno = ibv_post_send(q->qp, wr, &bad);
    if (errno)
        litmpi_call_failed("ibv_post_send");
    q->outstanding++;
}

uint64_t litmpi_address(int node, int block)
{
    return litmpi_shared->host[node].memory + (uint64_t)block * LITMPI_LINE;
}

static void post(enum ibv_wr_opcode opcode, int node, int block, int *local, unsigned flags)
{
    struct ibv_send_wr wr = {.opcode = opcode, .send_flags = flags};
    wr.wr.rdma.remote_addr = litmpi_address(node, block);
    wr.wr.rdma.rkey = litmpi_shared->host[node].rkey;
    litmpi_post_request(&wr, node, local, LITMPI_BYTES);
}

static void post_atomic(enum ibv_wr_opcode opcode, struct litmpi_remote at, int *to, int compare_add, int swap)
{
    struct ibv_send_wr wr = {.opcode = opcode};
    int node = litmpi_node_of(at.node);
    if (HERE.attr.atomic_cap == IBV_ATOMIC_NONE)
        litmpi_fail("device", "it has no atomic operations");
    wr.wr.atomic.remote_addr = litmpi_address(node, at.block);
    wr.wr.atomic.rkey = litmpi_shared->host[node].rkey;
    int compares = opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
    wr.wr.atomic.compare_add = (uint64_t)(compares ? LITMPI_WORD(compare_add) : (long)compare_add);
    wr.wr.atomic.swap = (uint64_t)LITMPI_WORD(swap);
    litmpi_post_request(&wr, node, to, LITMPI_BYTES);
}

void litmpi_get(int *to, struct litmpi_remote from)
{
    post(IBV_WR_RDMA_READ, litmpi_node_of(from.node), from.block, to, 0);
}

void litmpi_put(struct litmpi_remote to, const int *from)
{
    post(IBV_WR_RDMA_WRITE, litmpi_node_of(to.node), to.block, (int *)(uintptr_t)from, 0);
}

void litmpi_put_value(struct litmpi_remote to, int value)
{
    int *literal = litmpi_literal(value);
    post(IBV_WR_RDMA_WRITE, litmpi_node_of(to.node), to.block, literal, litmpi_entry.use_inline ? IBV_SEND_INLINE : 0u);
}

void litmpi_rfaa(int *to, struct litmpi_remote at, int value)
{
    post_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, at, to, value, 0);
}

void litmpi_rcswap(int *to, struct litmpi_remote at, int old, int new)
{
    post_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, at, to, old, new);
}

void litmpi_rfence(int node)
{
    litmpi_asking(litmpi_local, litmpi_node_of(node))->fence = 1;
}

/* Takes a completion if there is one. */
static int take(struct litmpi_queue *q)
{
    struct ibv_wc wc;
    int n = ibv_poll_cq(q->cq, 1, &wc);
    if (n < 0)
        litmpi_call_failed("ibv_poll_cq");
    if (n == 0)
        return 0;
    if (wc.status != IBV_WC_SUCCESS) /* the queue pair is of no more use */
        litmpi_fail("error", litmpi_status_name(wc.status));
    q->outstanding--;
    return 1;
}

/* Between two looks for a completion. */
static void relax(long *polls)
{
    struct timespec moment = {0, 1000};
    if (!litmpi_poll_style) {
        litmpi_relax(polls);
        return;
    }
    ++*polls;
    if (litmpi_poll_style == LITMPI_POLL_SPIN && *polls % 4096)
        __builtin_ia32_pause();
    else if (litmpi_poll_style == LITMPI_POLL_SLEEP)
        nanosleep(&moment, NULL);
    else
        sched_yield(); /* now and then even who spins: the device may be software */
}

int litmpi_poll_again(struct litmpi_polling *polling)
{
    relax(&polling->polls);
    if (polling->polls % 64)
        return 1;
    double now = litmpi_now();
    if (polling->since == 0)
        polling->since = now;
    if (now - polling->since <= litmpi_entry.stuck)
        return 1;
    litmpi_end(LITMPI_END_STUCK, 0);
    return 0;
}

int litmpi_poll(int node)
{
    struct litmpi_queue *q = litmpi_asking(litmpi_local, litmpi_node_of(node));
    struct litmpi_polling polling = {0};
    while (!take(q))
        if (!litmpi_poll_again(&polling))
            return 0;
    return 1;
}

void litmpi_path(struct litmpi_remote at, int is_request, struct litmpi_path *path)
{
    int node = litmpi_node_of(at.node);
    struct litmpi_queue *q = litmpi_asking(litmpi_local, node);
    *path = (struct litmpi_path){.qp = q->qp, .cq = q->cq, .remote = litmpi_address(node, at.block),
                                 .rkey = litmpi_shared->host[node].rkey, .lkey = HERE.mr->lkey, .fence = q->fence,
                                 .has_atomics = HERE.attr.atomic_cap != IBV_ATOMIC_NONE};
    if (is_request) {
        litmpi_check_type(q);
        q->fence = 0;
        q->used = 1;
        q->outstanding++;
    }
}

int *litmpi_location(int number)
{
    return LITMPI_AT(number);
}

int *litmpi_literal(int value)
{
    int *literal = thread_line(1 + literals++ % LITMPI_LITERALS);
    litmpi_store(literal, value);
    return literal;
}

int litmpi_use_inline(void)
{
    return litmpi_entry.use_inline;
}

void litmpi_went_wrong(int status)
{
    litmpi_fail("error", litmpi_status_name(status));
}

void litmpi_took(int node)
{
    litmpi_asking(litmpi_local, litmpi_node_of(node))->outstanding--;
}

void litmpi_device_failed(const char *call, int error)
{
    errno = error;
    litmpi_call_failed(call);
}

void litmpi_queues_begin(long iteration)
{
    literals = 0;
    litmpi_datagrams_begin(iteration);
}

static void drain(struct litmpi_queue *q)
{
    for (long polls = 0; q->outstanding > 0;)
        if (!take(q))
            litmpi_relax(&polls);
}

void litmpi_post_read(int node)
{
    post(IBV_WR_RDMA_READ, node, SPARE, thread_line(0), 0);
}

void litmpi_queues_drain(void)
{
    litmpi_datagrams_drain();
    for (int n = 0; n < litmpi_nodes; n++) {
        struct litmpi_queue *q = litmpi_asking(litmpi_local, n);
        if (!q->used)
            continue;
        q->fence = 0;
        if (litmpi_has_messages()) {
            litmpi_messages_drain(n);
            continue;
        }
        litmpi_post_read(n);
        enum ibv_qp_state state = litmpi_query(q->qp);
        drain(q);
        q->silent = 0;
        if (state != IBV_QPS_RTS)
            litmpi_fail("error", "IBV_QPS_ERR: the queue pair is not ready to send");
        q->used = 0;
    }
}

/* Requests without completions: polls take those of the test's own operations. */
void litmpi_queues_flood(int writes, int node)
{
    for (int n = 0; n < litmpi_current->nodes; n++) {
        struct litmpi_queue *q = litmpi_asking(litmpi_local, n);
        if (node && litmpi_current->node[n].number != node)
            continue;
        for (int i = 0; n != litmpi_me && i < writes && q->silent + q->outstanding < DEPTH / 2; i++) {
            struct ibv_sge sge = {.addr = (uintptr_t)thread_line(0), .length = LITMPI_BYTES, .lkey = HERE.mr->lkey};
            struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1}, *bad;
            wr.wr.rdma.remote_addr = litmpi_address(n, SPARE);
            wr.wr.rdma.rkey = litmpi_shared->host[n].rkey;
            errno = ibv_post_send(q->qp, &wr, &bad);
            if (errno)
                litmpi_call_failed("ibv_post_send");
            q->silent++;
            q->used = 1;
        }
    }
}

void litmpi_queues_carry(int number, atomic_int *stop)
{
    carries = 1;
    litmpi_local = HERE.all_threads - LITMPI_BACKGROUND + number;
    for (long turn = 0, polls = 0; !atomic_load(stop); turn++)
        for (int n = 0; n < litmpi_nodes; n++) {
            struct litmpi_queue *q = litmpi_asking(litmpi_local, n);
            if (n == litmpi_me)
                continue;
            if (q->outstanding < 8)
                post(turn % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, n, SPARE, thread_line(0), 0);
            else if (!take(q))
                litmpi_relax(&polls);
        }
    for (int n = 0; n < litmpi_nodes; n++)
        drain(litmpi_asking(litmpi_local, n));
}

uint64_t litmpi_queues_number(int local, int node)
{
    struct ibv_qp *qp = node == litmpi_me ? HERE.datagrams[local].qp : litmpi_asking(local, node)->qp;
    return qp ? qp->qp_num : 0;
}

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double litmpi_queues_round_trip(void)
{
    enum { TIMES = 9 };
    double times[TIMES];
    int other = litmpi_me == 0 ? 1 : 0;
    if (litmpi_current->nodes < 2 || litmpi_is_unreliable())
        return 1e-3; /* nothing goes there and comes back */
    litmpi_local = 0;
    for (int i = 0; i < TIMES; i++) {
        double begun = litmpi_now();
        post(IBV_WR_RDMA_READ, other, SPARE, thread_line(0), 0);
        drain(litmpi_asking(0, other));
        times[i] = litmpi_now() - begun;
    }
    qsort(times, TIMES, sizeof *times, in_order);
    return times[TIMES / 2] < 5 ? times[TIMES / 2] : 5;
}
