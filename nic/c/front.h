/* The front of the emulated NIC: a libibverbs whose one device is the engine in `litmpi nic`.
 *
 * The front keeps no queues of its own. Each context has a region, a file that both sides map; layout.h, which is
 * generated from the engine's own numbers, says what word stands where. Posting and polling are loads and stores in
 * the region, so on x86 a work request follows the stores before it and is passed by later loads, as in a store
 * buffer. */
#ifndef LITMPI_NIC_FRONT_H
#define LITMPI_NIC_FRONT_H

#include "layout.h"

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t word;

struct nic_context {
    struct verbs_context verbs; /* its `context` is last */
    word *region;
    int number; /* of the region */
    int tell;   /* the end of the pipe that asynchronous events go into */
    int hear;   /* a descriptor of the pipe that holds it open for writing */
    char events[4096];
    /* What events are about, by number. */
    struct ibv_cq *_Atomic cqs[NIC_CQ_COUNT];
    struct ibv_qp *_Atomic qps[NIC_QP_COUNT];
    struct ibv_srq *_Atomic srqs[NIC_SRQ_COUNT];
    atomic_uint pds;
    atomic_uint windows;
};

/* A protection domain, and how many objects are of it. */
struct nic_pd {
    struct ibv_pd pd;
    atomic_int users;
};

/* A domain of extended connections: processes that open it with the same file have the same one. */
struct nic_xrcd {
    struct ibv_xrcd xrcd;
    uint64_t id;
    atomic_int users;
};

struct nic_ah {
    struct ibv_ah ah;
    int leads; /* to a port that is there */
    uint64_t group[2]; /* or to a group */
    struct ibv_global_route route;
    int is_global; /* it has a routing header */
};

struct nic_channel {
    struct ibv_comp_channel channel;
    unsigned number;
    char path[4096];
};

struct nic_cq {
    struct ibv_cq_ex cq;
    word *at;
    pthread_spinlock_t lock;
    atomic_int users; /* queue pairs, each once for sends and once for receives */
    uint64_t next;    /* while it is polled entry by entry: the one behind the present one */
    word *entry;
};

/* A queue of receives, in the region. */
struct nic_receives {
    word *posted, *over, *ring; /* how many were posted, and how many are over; their entries */
    unsigned size; /* entries of the ring */
    unsigned room, sges; /* most that may be posted, and pieces of each */
    pthread_spinlock_t lock;
};

struct nic_srq {
    struct ibv_srq srq;
    word *at;
    struct nic_receives receives;
    struct ibv_srq_attr attr;
    struct nic_xrcd *xrcd; /* of a queue for extended connections, with the queue of its completions */
    struct nic_cq *cq;
    atomic_int users;
};

/* Requests that the calls of ibv_qp_ex build, until they are posted together. */
struct nic_batch {
    struct ibv_send_wr wr; /* the one that is being built */
    struct ibv_sge sge[NIC_SGES];
    unsigned char data[NIC_INLINE];
    int building, error;
    uint64_t posted; /* those before it are written, and not yet seen by the device */
};

struct nic_qp {
    struct ibv_qp_ex qp;
    word *at;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    pthread_spinlock_t send_lock;
    struct nic_receives receives; /* if it does not share one */
    struct nic_xrcd *xrcd; /* of the end of an extended connection that answers */
    unsigned ring, sends; /* entries of the ring of requests, and most that may be outstanding */
    struct nic_batch batch;
};

/* An attribute that no queue pair has. litmpi's own programs ask for it (litmpi_query in codegen/c/verbs/queues.c), for a queue pair
 * that has nothing under way. The stand-in for librdmacm asks for the second, for one whose requests are over, if they are soon. */
enum { NIC_SETTLE = 1 << 30, NIC_SENT = 1 << 29 };

static inline struct nic_context *nic_context(struct ibv_context *context)
{
    return (struct nic_context *)((char *)context - offsetof(struct nic_context, verbs.context));
}

static inline word *nic_cq_at(struct nic_context *c, unsigned i)
{
    return c->region + NIC_CQS + (uint64_t)i * NIC_CQ_WORDS;
}

static inline word *nic_qp_at(struct nic_context *c, unsigned i)
{
    return c->region + NIC_QPS + (uint64_t)i * NIC_QP_WORDS;
}

static inline void nic_set(word *at, uint64_t value)
{
    atomic_store_explicit(at, value, memory_order_release);
}

static inline uint64_t nic_get(const word *at)
{
    return atomic_load_explicit((word *)(uintptr_t)at, memory_order_acquire);
}

/* A power of two that is not less. */
static inline unsigned nic_ring(unsigned n)
{
    unsigned size = 1;
    while (size < n)
        size *= 2;
    return size;
}

int nic_have(word *from, uint64_t words);
int nic_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int nic_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad, int binds_first_type);
int nic_write_request(struct nic_qp *q, const struct ibv_send_wr *wr, uint64_t posted, int binds_first_type);
uint32_t nic_key(struct nic_context *c, unsigned entry, unsigned which);
struct ibv_mw *nic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int nic_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
int nic_dealloc_mw(struct ibv_mw *mw);
int nic_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int nic_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc);
void nic_forget(struct ibv_cq *cq, uint32_t qpn);
void nic_leave_a_core(int found);
int nic_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int nic_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
void nic_event(struct nic_context *c, enum ibv_event_type type, unsigned about);
int nic_make_events(struct nic_context *c);
void nic_end_events(struct nic_context *c);
void nic_sges(word *at, const struct ibv_sge *list, int n);
struct nic_cq *nic_make_cq(struct ibv_context *context, struct ibv_cq_init_attr_ex *init);
struct ibv_cq_ex *nic_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init);
struct ibv_qp *nic_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init);
struct ibv_srq *nic_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *init);
void nic_set_wr_calls(struct ibv_qp_ex *qp);
int nic_is_attached(struct nic_qp *q);
struct ibv_xrcd *nic_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *init);
int nic_close_xrcd(struct ibv_xrcd *xrcd);
void nic_refuse_the_rest(struct verbs_context *c);
int nic_get_srq_num(struct ibv_srq *srq, uint32_t *number);
#endif
