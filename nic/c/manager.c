/* A stand-in for librdmacm: what is asked of identifiers. Every address of this machine leads to the emulated NIC's one port. */
#define _GNU_SOURCE
#include "manager.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct ibv_context *device; /* of the whole process, as librdmacm's are */
static struct ibv_pd *domain;
static struct manager_id *ids;

struct manager_id *manager_id(struct rdma_cm_id *id)
{
    return (struct manager_id *)id;
}

int manager_lives(const struct manager_id *m)
{
    const struct manager_id *at = ids;
    while (at && at != m)
        at = at->next;
    return at != NULL;
}

void manager_forget(struct manager_id *m)
{
    struct manager_id **at = &ids;
    while (*at && *at != m)
        at = &(*at)->next;
    if (*at)
        *at = m->next;
    free(m->id.route.path_rec);
    free(m->attr);
    free(m);
}

struct manager_id *manager_new(struct manager_channel *channel, void *context, enum rdma_port_space ps, enum ibv_qp_type type)
{
    struct manager_id *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->id.channel = &channel->channel;
    m->id.context = context;
    m->id.ps = ps;
    m->id.qp_type = type;
    m->channel = channel;
    m->socket = -1;
    m->next = ids;
    ids = m;
    return m;
}

/* The device and the port behind an identifier, which has an address by now. Under the lock. */
int manager_device(struct manager_id *m)
{
    if (!device) {
        struct ibv_device **list = ibv_get_device_list(NULL);
        if (list && list[0])
            device = ibv_open_device(list[0]);
        if (list)
            ibv_free_device_list(list);
        domain = device ? ibv_alloc_pd(device) : NULL;
    }
    if (!device || !domain)
        return manager_fail(ENODEV);
    m->id.verbs = device;
    m->id.pd = domain;
    m->id.port_num = 1;
    ibv_query_gid(device, 1, 0, &m->id.route.addr.addr.ibaddr.sgid);
    ibv_query_gid(device, 1, 0, &m->id.route.addr.addr.ibaddr.dgid);
    m->id.route.addr.addr.ibaddr.pkey = 0xffff;
    return 0;
}

struct ibv_context **rdma_get_devices(int *n)
{
    struct manager_id none = {0};
    manager_lock();
    int failed = manager_device(&none);
    manager_unlock();
    struct ibv_context **list = failed ? NULL : calloc(2, sizeof *list);
    if (list)
        list[0] = device;
    if (n)
        *n = list ? 1 : 0;
    return list;
}

void rdma_free_devices(struct ibv_context **list)
{
    free(list);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
    if (ps != RDMA_PS_TCP && ps != RDMA_PS_UDP && ps != RDMA_PS_IB)
        return manager_fail(EPROTONOSUPPORT);
    struct manager_channel *c = channel ? (struct manager_channel *)channel : manager_make_channel();
    if (!c)
        return -1;
    manager_lock();
    struct manager_id *m = manager_new(c, context, ps, ps == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC);
    manager_unlock();
    if (!m)
        return manager_fail(ENOMEM);
    m->waits = !channel;
    *id = &m->id;
    return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
    struct manager_id *m = manager_id(id);
    if (id->event)
        rdma_ack_cm_event(id->event);
    id->event = NULL;
    manager_lock();
    /* What nobody has been told of it nobody is told any more. */
    struct manager_event **at = &m->channel->first;
    while (*at) {
        struct manager_event *e = *at;
        if (e->event.id != id && e->event.listen_id != id) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        manager_id(e->event.id)->events--;
        struct manager_id *asked = e->event.id == id ? NULL : manager_id(e->event.id);
        free(e);
        if (asked) {
            manager_leave(asked);
            manager_forget(asked);
        }
    }
    uint64_t many;
    if (!m->channel->first && read(m->channel->wake, &many, sizeof many) < 0)
        many = 0;
    for (struct manager_id *i = ids, *next; i; i = next) {
        next = i->next;
        if (i->listener == m) {
            manager_leave(i);
            manager_forget(i);
        }
    }
    manager_leave(m);
    manager_leave_groups(m);
    while (m->events > 0)
        manager_wait();
    struct manager_channel *own = m->waits ? m->channel : NULL;
    manager_forget(m);
    manager_unlock();
    if (own)
        rdma_destroy_event_channel(&own->channel);
    return 0;
}

/* ---- addresses ---- */

static in_port_t *port_of(struct sockaddr_storage *at)
{
    return at->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)at)->sin6_port : &((struct sockaddr_in *)at)->sin_port;
}

static int copy(struct sockaddr_storage *to, const struct sockaddr *from)
{
    if (from->sa_family != AF_INET && from->sa_family != AF_INET6)
        return manager_fail(EAFNOSUPPORT);
    memset(to, 0, sizeof *to);
    memcpy(to, from, from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
    return 0;
}

static int is_any(const struct sockaddr_storage *at)
{
    const struct in6_addr *six = &((const struct sockaddr_in6 *)at)->sin6_addr;
    return at->ss_family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(six) : ((const struct sockaddr_in *)at)->sin_addr.s_addr == INADDR_ANY;
}

static int is_same(const struct sockaddr_storage *a, const struct sockaddr *b)
{
    if (!b || a->ss_family != b->sa_family)
        return 0;
    if (a->ss_family == AF_INET6)
        return !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr, &((const struct sockaddr_in6 *)b)->sin6_addr, 16);
    return ((const struct sockaddr_in *)a)->sin_addr.s_addr == ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

/* Whether an address is of this machine. */
static int is_here(const struct sockaddr_storage *at)
{
    if (is_any(at) || (at->ss_family == AF_INET && ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 == 127))
        return 1;
    struct ifaddrs *all = NULL;
    int here = 0;
    if (getifaddrs(&all))
        return 0;
    for (struct ifaddrs *i = all; i; i = i->ifa_next)
        here |= is_same(at, i->ifa_addr);
    freeifaddrs(all);
    return here;
}

static void path_of(char path[108], enum rdma_port_space ps, in_port_t port)
{
    const char *folder = getenv("LITMPI_NIC");
    snprintf(path, 108, "%s/m%x.%u", folder ? folder : ".", (unsigned)ps, (unsigned)ntohs(port));
}

static int reach(int socket, const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, path, 108);
    return connect(socket, (struct sockaddr *)&at, sizeof at);
}

static int make_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Takes a port, which is a file's name: of one that has been left by a process that is gone, a new file. */
static int take_port(struct manager_id *m, in_port_t port)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    path_of(m->path, m->id.ps, port);
    memcpy(at.sun_path, m->path, sizeof m->path);
    m->socket = make_socket();
    if (m->socket < 0)
        return -1;
    for (int again = 0; again < 2; again++) {
        if (!bind(m->socket, (struct sockaddr *)&at, sizeof at)) {
            m->is_named = 1;
            *port_of(&m->id.route.addr.src_storage) = port;
            return 0;
        }
        int probe = make_socket(), gone = errno == EADDRINUSE && reach(probe, m->path) && errno == ECONNREFUSED;
        /* One that has a port and does not listen yet is refused, too: it says so itself. */
        char owner[120], there[32] = "";
        snprintf(owner, sizeof owner, "%s.of", m->path);
        int of = open(owner, O_RDONLY | O_CLOEXEC);
        ssize_t length = of >= 0 ? read(of, there, sizeof there - 1) : -1;
        if (of >= 0)
            close(of);
        if (probe >= 0)
            close(probe);
        char process[48];
        snprintf(process, sizeof process, "/proc/%d", length > 0 ? atoi(there) : -1);
        if (!gone || !access(process, F_OK))
            break;
        unlink(m->path);
    }
    close(m->socket);
    m->socket = -1;
    return manager_fail(EADDRINUSE);
}

static void sign(const struct manager_id *m)
{
    char owner[120], me[32];
    snprintf(owner, sizeof owner, "%s.of", m->path);
    int of = open(owner, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int length = snprintf(me, sizeof me, "%d", (int)getpid());
    if (of >= 0 && write(of, me, (size_t)length) < 0)
        me[0] = 0;
    if (of >= 0)
        close(of);
}

static int bind_to(struct manager_id *m, const struct sockaddr *addr)
{
    if (m->state != IDLE || copy(&m->id.route.addr.src_storage, addr))
        return m->state != IDLE ? manager_fail(EINVAL) : -1;
    if (!is_here(&m->id.route.addr.src_storage))
        return manager_fail(EADDRNOTAVAIL);
    in_port_t port = *port_of(&m->id.route.addr.src_storage);
    int failed = port ? take_port(m, port) : -1;
    for (unsigned i = 0; !port && failed && i < 4096; i++)
        failed = take_port(m, htons((uint16_t)(32768 + ((unsigned)getpid() * 31 + i) % 28000)));
    if (failed)
        return -1;
    sign(m);
    if (!is_any(&m->id.route.addr.src_storage) && manager_device(m))
        return -1;
    m->state = BOUND;
    return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
    manager_lock();
    int failed = bind_to(manager_id(id), addr);
    manager_unlock();
    return failed;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
    struct manager_id *m = manager_id(id);
    struct sockaddr_in any = {.sin_family = AF_INET};
    manager_lock();
    int failed = m->state == IDLE ? bind_to(m, (struct sockaddr *)&any) : 0;
    if (!failed)
        failed = m->state != BOUND ? manager_fail(EINVAL) : listen(m->socket, backlog > 0 ? backlog : 128);
    if (!failed) {
        m->state = LISTENING;
        failed = manager_watch(m);
    }
    manager_unlock();
    return failed;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src, struct sockaddr *dst, int timeout_ms)
{
    (void)timeout_ms;
    struct manager_id *m = manager_id(id);
    struct rdma_addr *at = &id->route.addr;
    manager_lock();
    int failed = (m->state != IDLE && m->state != BOUND) || !dst ? manager_fail(EINVAL) : copy(&at->dst_storage, dst);
    if (!failed && m->state == IDLE) {
        struct sockaddr_storage from;
        failed = copy(&from, src ? src : dst);
        *port_of(&from) = src ? *port_of(&from) : 0;
        failed = failed || (is_here(&from) ? bind_to(m, (struct sockaddr *)&from) : 0);
    }
    if (!failed) {
        int here = is_here(&at->dst_storage) || manager_is_group(&at->dst_storage), error = !here ? ENETUNREACH : manager_device(m) ? errno : 0;
        m->state = error ? m->state : ADDRESSED;
        manager_tell(m, NULL, error ? RDMA_CM_EVENT_ADDR_ERROR : RDMA_CM_EVENT_ADDR_RESOLVED, -error, NULL);
    }
    manager_unlock();
    return failed ? failed : manager_complete(m);
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
    (void)timeout_ms;
    struct manager_id *m = manager_id(id);
    manager_lock();
    struct ibv_sa_path_rec *path = m->state == ADDRESSED ? calloc(1, sizeof *path) : NULL;
    struct ibv_port_attr port;
    if (!path || ibv_query_port(id->verbs, 1, &port)) {
        free(path);
        manager_unlock();
        return manager_fail(EINVAL);
    }
    path->sgid = id->route.addr.addr.ibaddr.sgid;
    path->dgid = id->route.addr.addr.ibaddr.dgid;
    path->slid = path->dlid = htons(port.lid);
    path->pkey = 0xffff;
    path->reversible = 1;
    path->numb_path = 1;
    path->mtu = (uint8_t)port.active_mtu;
    id->route.path_rec = path;
    id->route.num_paths = 1;
    m->state = ROUTED;
    manager_tell(m, NULL, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL);
    manager_unlock();
    return manager_complete(m);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
    return *port_of(&id->route.addr.src_storage);
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
    return *port_of(&id->route.addr.dst_storage);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t length)
{
    struct manager_id *m = manager_id(id);
    if (level != RDMA_OPTION_ID || name < 0 || name > RDMA_OPTION_ID_ACK_TIMEOUT)
        return manager_fail(ENOSYS);
    if (name != RDMA_OPTION_ID_ACK_TIMEOUT)
        return 0;
    if (length != sizeof m->timeout)
        return manager_fail(EINVAL);
    m->timeout = *(uint8_t *)value & 31;
    m->has_timeout = 1;
    return 0;
}

int rdma_getaddrinfo(const char *node, const char *service, const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
    struct addrinfo wanted = {0}, *found = NULL;
    int flags = hints ? hints->ai_flags : 0;
    if (hints) {
        wanted.ai_family = flags & RAI_FAMILY || !(flags & RAI_NUMERICHOST) ? hints->ai_family : AF_UNSPEC;
        wanted.ai_flags = (flags & RAI_PASSIVE ? AI_PASSIVE : 0) | (flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0);
    }
    wanted.ai_socktype = SOCK_STREAM;
    int only_hints = !node && !service && hints, failed = only_hints ? 0 : getaddrinfo(node, service, &wanted, &found);
    if (failed)
        return failed;
    struct rdma_addrinfo *r = calloc(1, sizeof *r);
    struct sockaddr *addr = calloc(1, sizeof(struct sockaddr_storage));
    if (!r || !addr) {
        free(r);
        free(addr);
        if (found)
            freeaddrinfo(found);
        return EAI_MEMORY;
    }
    r->ai_flags = flags;
    r->ai_family = found ? found->ai_family : hints->ai_family;
    r->ai_port_space = hints && hints->ai_port_space ? hints->ai_port_space : RDMA_PS_TCP;
    r->ai_qp_type = hints && hints->ai_qp_type ? hints->ai_qp_type : r->ai_port_space == RDMA_PS_UDP ? IBV_QPT_UD : IBV_QPT_RC;
    if (found) {
        memcpy(addr, found->ai_addr, found->ai_addrlen);
        *(flags & RAI_PASSIVE ? &r->ai_src_addr : &r->ai_dst_addr) = addr;
        *(flags & RAI_PASSIVE ? &r->ai_src_len : &r->ai_dst_len) = found->ai_addrlen;
        freeaddrinfo(found);
    } else {
        free(addr);
    }
    if (!r->ai_src_len && hints && hints->ai_src_len && (r->ai_src_addr = calloc(1, sizeof(struct sockaddr_storage))))
        memcpy(r->ai_src_addr, hints->ai_src_addr, r->ai_src_len = hints->ai_src_len);
    if (only_hints && hints->ai_dst_len && (r->ai_dst_addr = calloc(1, sizeof(struct sockaddr_storage))))
        memcpy(r->ai_dst_addr, hints->ai_dst_addr, r->ai_dst_len = hints->ai_dst_len);
    *res = r;
    return 0;
}

void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
    for (struct rdma_addrinfo *next; res; res = next) {
        next = res->ai_next;
        free(res->ai_src_addr);
        free(res->ai_dst_addr);
        free(res);
    }
}

/* ---- connections ---- */

/* An end's own part of a connection: what the program says, or what the other end has asked for. */
static void settle(struct manager_id *m, const struct rdma_conn_param *said)
{
    struct ibv_device_attr most;
    if (said)
        m->conn = *said;
    if (!m->id.verbs || ibv_query_device(m->id.verbs, &most))
        return;
    if (m->conn.responder_resources > most.max_qp_rd_atom)
        m->conn.responder_resources = (uint8_t)most.max_qp_rd_atom;
    if (m->conn.initiator_depth > most.max_qp_init_rd_atom)
        m->conn.initiator_depth = (uint8_t)most.max_qp_init_rd_atom;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn)
{
    struct manager_id *m = manager_id(id);
    size_t length = conn ? conn->private_data_len : 0, room = id->ps == RDMA_PS_UDP ? DATAGRAM_DATA : REQ_DATA;
    char path[108];
    manager_lock();
    if (m->state != ROUTED || length > room) {
        manager_unlock();
        return manager_fail(EINVAL);
    }
    settle(m, conn);
    path_of(path, id->ps, *port_of(&id->route.addr.dst_storage));
    /* The port goes on being this one's, though its socket is another one's now. */
    if (m->socket >= 0)
        close(m->socket);
    m->socket = make_socket();
    m->state = ASKING;
    int refused = reach(m->socket, path);
    /* A server that closes one port and opens it again has as long for that as a request would be on its way. */
    for (int i = 0; i < 50 && refused && (errno == ECONNREFUSED || errno == ENOENT || errno == EAGAIN); i++) {
        manager_unlock();
        usleep(2000);
        manager_lock();
        refused = reach(m->socket, path);
    }
    if (refused || manager_say(m, REQ, &m->conn, conn ? conn->private_data : NULL, length)) {
        struct message none = {.length = REJ_DATA};
        m->state = OVER;
        /* Nobody offers this service (InfiniBand vol. 1 §12.6.7.2, reason 8). */
        manager_tell(m, NULL, RDMA_CM_EVENT_REJECTED, 8, &none);
    } else {
        manager_watch(m);
    }
    manager_unlock();
    return manager_complete(m);
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn)
{
    struct manager_id *m = manager_id(id);
    manager_lock();
    int failed = m->state != ASKED ? manager_fail(m->state == OVER ? ECONNRESET : EINVAL) : 0;
    if (!failed)
        settle(m, conn);
    if (!failed && id->qp && id->ps != RDMA_PS_UDP)
        failed = manager_ready(m);
    /* Before the other end hears of it: it may answer at once. */
    m->state = failed ? m->state : ANSWERED;
    if (!failed)
        failed = manager_say(m, REP, &m->conn, conn ? conn->private_data : NULL, conn ? conn->private_data_len : 0);
    manager_unlock();
    return failed || id->ps == RDMA_PS_UDP ? failed : manager_complete(m);
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t length)
{
    struct manager_id *m = manager_id(id);
    manager_lock();
    int failed = m->state != ASKED ? manager_fail(EINVAL) : manager_say(m, REJ, NULL, data, length);
    m->state = failed ? m->state : OVER;
    manager_unlock();
    return failed;
}

int rdma_reject_ece(struct rdma_cm_id *id, const void *data, uint8_t length)
{
    return rdma_reject(id, data, length);
}

int rdma_establish(struct rdma_cm_id *id)
{
    struct manager_id *m = manager_id(id);
    manager_lock();
    int failed = m->state != ANSWERED || id->qp ? manager_fail(EINVAL) : manager_say(m, RTU, NULL, NULL, 0);
    m->state = failed ? m->state : CONNECTED;
    manager_unlock();
    return failed;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
    struct manager_id *m = manager_id(id);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    manager_lock();
    int was = m->state, failed = was == CONNECTED || was == ANSWERED || was == OVER ? 0 : manager_fail(EINVAL);
    if (!failed && id->qp && id->qp_type != IBV_QPT_UD) {
        /* That the other end has gone comes by another way than its last answers, which are here before with a device of the kernel's. */
        struct ibv_qp_attr is;
        struct ibv_qp_init_attr init;
        ibv_query_qp(id->qp, &is, MANAGER_SENT, &init);
        ibv_modify_qp(id->qp, &attr, IBV_QP_STATE);
    }
    if (!failed && was != OVER)
        /* One that has gone is told as one that answers. */
        manager_say(m, DREQ, NULL, NULL, 0);
    manager_unlock();
    return failed || was == OVER ? failed : manager_complete(m);
}

int rdma_notify(struct rdma_cm_id *id, enum ibv_event_type event)
{
    (void)id, (void)event;
    return 0;
}

int rdma_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
    return !id || !ece ? manager_fail(EINVAL) : 0;
}

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
    if (!id || !ece)
        return manager_fail(EINVAL);
    memset(ece, 0, sizeof *ece);
    return 0;
}
