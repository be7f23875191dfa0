/* A stand-in for librdmacm: queue pairs of processes that share the emulated NIC find each other by addresses of this machine.
 *
 * The kernel's connection manager exchanges datagrams of InfiniBand; here each connection is a socket in the folder of the NIC's regions,
 * over which the two ends say what those would (REQ, REP, RTU, REJ, DREQ, DREP; InfiniBand vol. 1 ch. 12). A channel is a set of sockets
 * that the kernel watches (epoll), so that its descriptor is readable when there is an event, as librdmacm's is. */
#ifndef LITMPI_NIC_MANAGER_H
#define LITMPI_NIC_MANAGER_H
#include <rdma/rdma_cma.h>
#include <stdint.h>

/* Bytes of private data of each message (InfiniBand vol. 1 §12.6; a request has 36 of the connection manager's own). */
enum { REQ_DATA = 56, REP_DATA = 196, REJ_DATA = 148, DATAGRAM_DATA = 180, MOST_DATA = 196 };

enum kind { REQ = 1, REP, RTU, REJ, DREQ, DREP };

struct message {
    uint32_t kind, qpn, qkey, reason;
    struct rdma_conn_param conn; /* its pointer says nothing */
    struct sockaddr_storage from, to;
    uint8_t length, data[MOST_DATA];
};

enum state { IDLE, BOUND, ADDRESSED, ROUTED, LISTENING, ASKED, ASKING, ANSWERED, CONNECTED, OVER };

struct manager_channel;
struct manager_group;

struct manager_id {
    struct rdma_cm_id id;
    enum state state;
    int socket; /* of its connection, or that it listens at */
    int is_named; /* the socket has a file */
    char path[108];
    struct manager_channel *channel;
    struct manager_id *listener; /* of one that asks to be connected */
    int waits;                   /* calls wait for their event: the program gave no channel */
    int events;                  /* told and not acknowledged */
    struct rdma_conn_param conn; /* of the connection, as this end has it */
    uint32_t peer, qkey;
    uint8_t has_timeout, timeout; /* for answers, as the program has chosen it */
    struct ibv_qp_init_attr *attr; /* of queue pairs of requests, of an end that was made with them */
    struct ibv_pd *of_requests;
    struct manager_group *groups; /* that it has joined */
    struct manager_id *next; /* of all that there are */
};

/* An event, and the private data that it points to. */
struct manager_event {
    struct rdma_cm_event event;
    struct manager_event *next;
    uint8_t data[MOST_DATA];
};

struct manager_channel {
    struct rdma_event_channel channel;
    int wake; /* readable while an event waits */
    struct manager_event *first;
};

struct manager_id *manager_id(struct rdma_cm_id *id);
int manager_lives(const struct manager_id *m);
void manager_forget(struct manager_id *m);
int manager_fail(int error);
void manager_lock(void);
void manager_unlock(void);
void manager_wait(void);
struct manager_channel *manager_make_channel(void);
void manager_tell(struct manager_id *m, struct rdma_cm_id *listener, enum rdma_cm_event_type type, int status, const struct message *said);
void manager_tell_group(struct manager_id *m, int error, const union ibv_gid *gid, void *context);
int manager_is_group(const struct sockaddr_storage *at);
void manager_leave_groups(struct manager_id *m);
int manager_watch(struct manager_id *m);
void manager_leave(struct manager_id *m);
int manager_say(struct manager_id *m, enum kind kind, const struct rdma_conn_param *conn, const void *data, size_t length);
int manager_complete(struct manager_id *m);
struct manager_id *manager_new(struct manager_channel *channel, void *context, enum rdma_port_space ps, enum ibv_qp_type type);
int manager_device(struct manager_id *m);
int manager_ready(struct manager_id *m);

/* To ibv_query_qp: to wait until what was sent is over, if it is soon (NIC_SENT of front.h). */
enum { MANAGER_SENT = 1 << 29 };
#endif
