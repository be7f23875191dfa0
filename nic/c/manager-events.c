/* Channels of the stand-in for librdmacm, and what comes over connections. */
#define _GNU_SOURCE
#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acknowledged = PTHREAD_COND_INITIALIZER;

void manager_lock(void)
{
    pthread_mutex_lock(&all);
}

void manager_unlock(void)
{
    pthread_mutex_unlock(&all);
}

void manager_wait(void)
{
    pthread_cond_wait(&acknowledged, &all);
}

int manager_fail(int error)
{
    errno = error;
    return -1;
}

struct manager_channel *manager_make_channel(void)
{
    struct manager_channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->channel.fd = epoll_create1(EPOLL_CLOEXEC);
    c->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct epoll_event wanted = {.events = EPOLLIN};
    if (c->channel.fd >= 0 && c->wake >= 0 && !epoll_ctl(c->channel.fd, EPOLL_CTL_ADD, c->wake, &wanted))
        return c;
    rdma_destroy_event_channel(&c->channel);
    return NULL;
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
    struct manager_channel *c = manager_make_channel();
    return c ? &c->channel : NULL;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
    struct manager_channel *c = (struct manager_channel *)channel;
    if (c->channel.fd >= 0)
        close(c->channel.fd);
    if (c->wake >= 0)
        close(c->wake);
    for (struct manager_event *e = c->first, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    free(c);
}

/* ---- events ---- */

static void put(struct manager_channel *c, struct manager_event *e)
{
    struct manager_event **last = &c->first;
    while (*last)
        last = &(*last)->next;
    *last = e;
    uint64_t one = 1;
    ssize_t written = write(c->wake, &one, sizeof one);
    (void)written;
}

/* Tells an event; what was said is its private data and its parameters. Under the lock. */
void manager_tell(struct manager_id *m, struct rdma_cm_id *listener, enum rdma_cm_event_type type, int status, const struct message *said)
{
    struct manager_event *e = calloc(1, sizeof *e);
    if (!e)
        return;
    e->event = (struct rdma_cm_event){.id = &m->id, .listen_id = listener, .event = type, .status = status};
    if (said && m->id.ps == RDMA_PS_UDP) {
        struct rdma_ud_param *ud = &e->event.param.ud;
        ud->private_data = e->data;
        ud->private_data_len = said->length;
        ud->qp_num = said->qpn;
        ud->qkey = said->qkey;
        struct ibv_port_attr port;
        if (m->id.verbs && !ibv_query_port(m->id.verbs, 1, &port))
            ud->ah_attr = (struct ibv_ah_attr){.dlid = port.lid, .port_num = 1};
    } else if (said) {
        struct rdma_conn_param *conn = &e->event.param.conn;
        *conn = said->conn;
        /* What one end asks for the other answers. */
        conn->responder_resources = said->conn.initiator_depth;
        conn->initiator_depth = said->conn.responder_resources;
        conn->private_data = e->data;
        conn->private_data_len = said->length;
        conn->qp_num = said->qpn;
    }
    if (said)
        memcpy(e->data, said->data, sizeof e->data);
    m->events++;
    put(m->channel, e);
}

/* Tells that a group has been joined, or could not be: how to send to it, and what the program calls it. Under the lock. */
void manager_tell_group(struct manager_id *m, int error, const union ibv_gid *gid, void *context)
{
    struct manager_event *e = calloc(1, sizeof *e);
    if (!e)
        return;
    enum rdma_cm_event_type type = error ? RDMA_CM_EVENT_MULTICAST_ERROR : RDMA_CM_EVENT_MULTICAST_JOIN;
    e->event = (struct rdma_cm_event){.id = &m->id, .event = type, .status = -error};
    struct rdma_ud_param *ud = &e->event.param.ud;
    ud->private_data = context;
    ud->qp_num = 0xffffff;
    ud->qkey = RDMA_UDP_QKEY;
    ud->ah_attr = (struct ibv_ah_attr){.dlid = 0xc000, .port_num = 1, .is_global = 1, .grh = {.dgid = *gid, .hop_limit = 1}};
    m->events++;
    put(m->channel, e);
}

/* The next event that waits, if one does. */
static struct manager_event *take(struct manager_channel *c)
{
    struct manager_event *e = c->first;
    if (!e)
        return NULL;
    c->first = e->next;
    uint64_t many;
    if (!c->first && read(c->wake, &many, sizeof many) < 0)
        return e;
    return e;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
    if (!event)
        return manager_fail(EINVAL);
    manager_lock();
    manager_id(event->id)->events--;
    pthread_cond_broadcast(&acknowledged);
    manager_unlock();
    free((struct manager_event *)event);
    return 0;
}

/* ---- connections ---- */

int manager_watch(struct manager_id *m)
{
    struct epoll_event wanted = {.events = EPOLLIN, .data.ptr = m};
    return epoll_ctl(m->channel->channel.fd, EPOLL_CTL_ADD, m->socket, &wanted);
}

/* It is heard no more, and its events are not told. */
void manager_leave(struct manager_id *m)
{
    if (m->socket >= 0) {
        epoll_ctl(m->channel->channel.fd, EPOLL_CTL_DEL, m->socket, NULL);
        close(m->socket);
        m->socket = -1;
    }
    if (m->is_named)
        unlink(m->path);
    m->is_named = 0;
}

int manager_say(struct manager_id *m, enum kind kind, const struct rdma_conn_param *conn, const void *data, size_t length)
{
    struct message said = {.kind = kind, .qpn = m->id.qp ? m->id.qp->qp_num : conn ? conn->qp_num : 0, .qkey = RDMA_UDP_QKEY};
    size_t whole = m->id.ps == RDMA_PS_UDP ? DATAGRAM_DATA : kind == REQ ? REQ_DATA : kind == REP ? REP_DATA : REJ_DATA;
    if (length > whole)
        return manager_fail(EINVAL);
    if (conn)
        said.conn = *conn;
    said.conn.private_data = NULL;
    said.from = m->id.route.addr.src_storage;
    said.to = m->id.route.addr.dst_storage;
    if (length)
        memcpy(said.data, data, length);
    said.length = (uint8_t)whole;
    said.reason = 28; /* the consumer's own */
    ssize_t sent = send(m->socket, &said, sizeof said, MSG_NOSIGNAL);
    return sent == (ssize_t)sizeof said ? 0 : -1;
}

static void hear(struct manager_id *m);

/* Somebody has come to one that listens, and says at once what it wants. Who is told that there is an event finds one. */
static void welcome(struct manager_id *listener)
{
    int socket = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0)
        return;
    struct manager_id *m = manager_new(listener->channel, listener->id.context, listener->id.ps, listener->id.qp_type);
    if (!m) {
        close(socket);
        return;
    }
    m->socket = socket;
    m->state = ASKED;
    m->listener = listener;
    manager_watch(m);
    struct pollfd waits = {.fd = socket, .events = POLLIN};
    if (poll(&waits, 1, 100) == 1)
        hear(m);
}

static void over(struct manager_id *m)
{
    epoll_ctl(m->channel->channel.fd, EPOLL_CTL_DEL, m->socket, NULL);
    enum state was = m->state;
    m->state = OVER;
    if (was == ASKING || was == ANSWERED) {
        struct message none = {.length = REJ_DATA};
        manager_tell(m, NULL, RDMA_CM_EVENT_REJECTED, 28, &none);
    } else if (was == CONNECTED) {
        manager_tell(m, NULL, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
    } else if (was == ASKED && m->listener) {
        /* It went away before it said what it wants. */
        close(m->socket);
        manager_forget(m);
    }
}

/* Something has come to a connection. Under the lock. */
static void hear(struct manager_id *m)
{
    struct message said;
    if (m->state == LISTENING) {
        welcome(m);
        return;
    }
    ssize_t length = recv(m->socket, &said, sizeof said, MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length != (ssize_t)sizeof said || said.length > MOST_DATA) {
        over(m);
        return;
    }
    switch (said.kind) {
    case REQ:
        if (m->state != ASKED || !m->listener)
            return;
        m->id.route.addr.src_storage = said.to;
        m->id.route.addr.dst_storage = said.from;
        m->peer = said.qpn;
        m->conn = said.conn;
        m->conn.responder_resources = said.conn.initiator_depth;
        m->conn.initiator_depth = said.conn.responder_resources;
        if (manager_device(m))
            return;
        manager_tell(m, &m->listener->id, RDMA_CM_EVENT_CONNECT_REQUEST, 0, &said);
        m->listener = NULL;
        return;
    case REP:
        if (m->state != ASKING)
            return;
        m->peer = said.qpn;
        m->qkey = said.qkey;
        if (m->id.ps == RDMA_PS_UDP) {
            m->state = CONNECTED;
            manager_tell(m, NULL, RDMA_CM_EVENT_ESTABLISHED, 0, &said);
        } else if (!m->id.qp) {
            m->state = ANSWERED;
            manager_tell(m, NULL, RDMA_CM_EVENT_CONNECT_RESPONSE, 0, &said);
        } else if (manager_ready(m)) {
            manager_tell(m, NULL, RDMA_CM_EVENT_CONNECT_ERROR, -errno, NULL);
        } else {
            m->state = CONNECTED;
            manager_say(m, RTU, NULL, NULL, 0);
            manager_tell(m, NULL, RDMA_CM_EVENT_ESTABLISHED, 0, &said);
        }
        return;
    case RTU:
        m->state = CONNECTED;
        manager_tell(m, NULL, RDMA_CM_EVENT_ESTABLISHED, 0, NULL);
        return;
    case REJ:
        m->state = OVER;
        epoll_ctl(m->channel->channel.fd, EPOLL_CTL_DEL, m->socket, NULL);
        manager_tell(m, NULL, RDMA_CM_EVENT_REJECTED, (int)said.reason, &said);
        return;
    case DREQ:
        manager_say(m, DREP, NULL, NULL, 0);
        /* fall through */
    case DREP:
        if (m->state == CONNECTED || m->state == ANSWERED) {
            m->state = OVER;
            epoll_ctl(m->channel->channel.fd, EPOLL_CTL_DEL, m->socket, NULL);
            manager_tell(m, NULL, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
        }
        return;
    }
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
    struct manager_channel *c = (struct manager_channel *)channel;
    if (!c || !event)
        return manager_fail(EINVAL);
    for (;;) {
        struct epoll_event ready[8];
        manager_lock();
        struct manager_event *e = take(c);
        manager_unlock();
        if (e) {
            *event = &e->event;
            return 0;
        }
        int flags = fcntl(channel->fd, F_GETFL), n;
        n = epoll_wait(channel->fd, ready, 1, flags >= 0 && flags & O_NONBLOCK ? 0 : -1);
        if (n < 0)
            return -1;
        if (n == 0)
            return manager_fail(EAGAIN);
        manager_lock();
        if (manager_lives(ready[0].data.ptr))
            hear(ready[0].data.ptr);
        manager_unlock();
    }
}

/* Waits for the event of a call, if the program has no channel; what it was is then the call's own outcome. */
int manager_complete(struct manager_id *m)
{
    if (!m->waits)
        return 0;
    if (m->id.event)
        rdma_ack_cm_event(m->id.event);
    m->id.event = NULL;
    if (rdma_get_cm_event(&m->channel->channel, &m->id.event))
        return -1;
    int status = m->id.event->status;
    if (m->id.event->event == RDMA_CM_EVENT_REJECTED)
        return manager_fail(ECONNREFUSED);
    return status ? manager_fail(status < 0 ? -status : status) : 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
    struct manager_id *m = manager_id(id);
    struct manager_channel *to = channel ? (struct manager_channel *)channel : manager_make_channel();
    if (!to)
        return -1;
    if (m->waits && id->event)
        rdma_ack_cm_event(id->event);
    id->event = NULL;
    manager_lock();
    struct manager_channel *from = m->channel;
    /* One that only has an address is not watched yet. */
    int is_watched = m->socket >= 0 && !epoll_ctl(from->channel.fd, EPOLL_CTL_DEL, m->socket, NULL);
    m->channel = to;
    id->channel = &to->channel;
    if (is_watched)
        manager_watch(m);
    struct manager_event *left = from->first;
    from->first = NULL;
    uint64_t many;
    ssize_t none = read(from->wake, &many, sizeof many);
    (void)none;
    for (struct manager_event *next; left; left = next) {
        next = left->next;
        left->next = NULL;
        put(left->event.id == id ? to : from, left);
    }
    manager_unlock();
    if (m->waits)
        rdma_destroy_event_channel(&from->channel);
    m->waits = !channel;
    return 0;
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
    static const char *const names[] = {
        [RDMA_CM_EVENT_ADDR_RESOLVED] = "RDMA_CM_EVENT_ADDR_RESOLVED",
        [RDMA_CM_EVENT_ADDR_ERROR] = "RDMA_CM_EVENT_ADDR_ERROR",
        [RDMA_CM_EVENT_ROUTE_RESOLVED] = "RDMA_CM_EVENT_ROUTE_RESOLVED",
        [RDMA_CM_EVENT_ROUTE_ERROR] = "RDMA_CM_EVENT_ROUTE_ERROR",
        [RDMA_CM_EVENT_CONNECT_REQUEST] = "RDMA_CM_EVENT_CONNECT_REQUEST",
        [RDMA_CM_EVENT_CONNECT_RESPONSE] = "RDMA_CM_EVENT_CONNECT_RESPONSE",
        [RDMA_CM_EVENT_CONNECT_ERROR] = "RDMA_CM_EVENT_CONNECT_ERROR",
        [RDMA_CM_EVENT_UNREACHABLE] = "RDMA_CM_EVENT_UNREACHABLE",
        [RDMA_CM_EVENT_REJECTED] = "RDMA_CM_EVENT_REJECTED",
        [RDMA_CM_EVENT_ESTABLISHED] = "RDMA_CM_EVENT_ESTABLISHED",
        [RDMA_CM_EVENT_DISCONNECTED] = "RDMA_CM_EVENT_DISCONNECTED",
        [RDMA_CM_EVENT_DEVICE_REMOVAL] = "RDMA_CM_EVENT_DEVICE_REMOVAL",
        [RDMA_CM_EVENT_MULTICAST_JOIN] = "RDMA_CM_EVENT_MULTICAST_JOIN",
        [RDMA_CM_EVENT_MULTICAST_ERROR] = "RDMA_CM_EVENT_MULTICAST_ERROR",
        [RDMA_CM_EVENT_ADDR_CHANGE] = "RDMA_CM_EVENT_ADDR_CHANGE",
        [RDMA_CM_EVENT_TIMEWAIT_EXIT] = "RDMA_CM_EVENT_TIMEWAIT_EXIT",
    };
    return event < sizeof names / sizeof *names ? names[event] : "UNKNOWN EVENT";
}
