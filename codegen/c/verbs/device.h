/* What the files that use the device share of it: queues.c, messages.c and datagrams.c. */
#ifndef LITMPI_DEVICE_H
#define LITMPI_DEVICE_H

#include "harness.h"

enum { LITMPI_BYTES = sizeof(long), LITMPI_DEPTH = 128, LITMPI_RECEIVES = 16 };

struct litmpi_queue {
    struct ibv_qp *qp;
    struct ibv_cq *cq;
    int outstanding, fence, used;
    int is_unreliable; /* the test has said so */
    struct ibv_mw *window;
    int silent; /* requests without a completion since all were last done */
    atomic_int drained; /* the event has come */
};

/* The end of a queue pair that answers, and the completions of its receives. */
struct litmpi_answer {
    struct ibv_qp *qp;
    struct ibv_cq *received;
};

/* A queue pair for datagrams, the completions of what it sent, and of its receives. */
struct litmpi_datagrams {
    struct ibv_qp *qp;
    struct ibv_cq *sent, *received;
    atomic_int drained;
};

enum { LITMPI_OWN_RECEIVES, LITMPI_SHARED_RECEIVES, LITMPI_UNRELIABLE_RECEIVES, LITMPI_ANSWERS };
enum { LITMPI_RELIABLE, LITMPI_UNRELIABLE, LITMPI_ASKS };

/* Each node's device. */
struct litmpi_device {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_mr *mr;
    struct ibv_srq *srq; /* of the answers that share their receives */
    struct ibv_device_attr attr;
    struct ibv_port_attr port;
    int gid_index;
    struct litmpi_queue asks[LITMPI_ASKS][LITMPI_THREADS + LITMPI_BACKGROUND][LITMPI_NODES];
    /* With receives of their own, with shared ones, and unreliable: a queue pair that asks is connected with one of its type. */
    struct litmpi_answer answers[LITMPI_ANSWERS][LITMPI_THREADS + LITMPI_BACKGROUND][LITMPI_NODES];
    int all_threads;
    /* Of programs with datagrams: the queue pair of each thread, how to get to each node, and where headers of receives go. */
    struct litmpi_datagrams datagrams[LITMPI_THREADS + LITMPI_BACKGROUND];
    struct ibv_ah *address[LITMPI_NODES];
    struct ibv_mr *header_mr;
    char header[LITMPI_LINE];
};
extern struct litmpi_device litmpi_devices[LITMPI_NODES];
#define HERE litmpi_devices[litmpi_me]

/* queues.c */
void litmpi_call_failed(const char *what); /* ends the launch: errno says why */
int litmpi_node_of(int number);            /* the index of the node with this number */
uint64_t litmpi_address(int node, int block);
/* Posts a request whose opcode, flags, remote location and operands are the caller's. */
void litmpi_post_request(struct ibv_send_wr *wr, int node, const int *local, unsigned length);
void litmpi_post_read(int node); /* of a location that no test has */
void litmpi_initialise(struct ibv_qp *qp);
/* The state of a queue pair; on the emulated NIC, once it has done everything that it was asked for. */
enum ibv_qp_state litmpi_query(struct ibv_qp *qp);
void litmpi_path_to(struct ibv_ah_attr *attr, const struct litmpi_host *host);
void litmpi_connect(struct ibv_qp *qp, const struct litmpi_host *host, uint32_t qpn);

/* messages.c */
int litmpi_has_messages(void); /* whether the test has any, so that its queue pairs are made anew after each iteration */
int litmpi_shares_receives(void);
int litmpi_is_unreliable(void);  /* whether the test's connections are, which are other queue pairs then */
int litmpi_any_is_unreliable(void);
int litmpi_any_binds(void);      /* whether any test has windows of its memory */
struct litmpi_queue *litmpi_asking(int local, int node); /* the queue pair by which a thread of this node asks another one */
void litmpi_messages_drain(int node);
int litmpi_uses_any(const struct litmpi_test *test, const char *beginning); /* an instruction whose name begins so */
int litmpi_take_event(void);
int litmpi_wait_for_drained(atomic_int *drained);                           /* its event; 0 when it is given up */
void litmpi_modify(struct ibv_qp *qp, int state);
int litmpi_wait_for(struct ibv_cq *cq, struct ibv_wc *wc);                  /* a completion; 0 when it is given up */

/* datagrams.c */
void litmpi_datagrams_open(int threads);
void litmpi_datagrams_address(void);         /* once all nodes have opened their devices */
void litmpi_datagrams_begin(long iteration); /* by every thread: its queue pair is made anew */
void litmpi_datagrams_drain(void);           /* what the thread has sent has arrived, or never does */

#endif
