/* Groups of datagrams (multicast) of the stand-in for librdmacm: who joins one has the queue pair attached to it. */
#define _GNU_SOURCE
#include "manager.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* A group that was joined, by its address. */
struct manager_group {
    struct manager_group *next;
    struct sockaddr_storage at;
    union ibv_gid gid;
    int is_attached;
};

int manager_is_group(const struct sockaddr_storage *at)
{
    if (at->ss_family == AF_INET6)
        return IN6_IS_ADDR_MULTICAST(&((const struct sockaddr_in6 *)at)->sin6_addr);
    return at->ss_family == AF_INET && IN_MULTICAST(ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr));
}

/* The group's identifier: an address of version 6 is one; one of version 4 stands in one as IP over InfiniBand has it (RFC 4391 §4), with the
 * connection manager's own signature. */
static union ibv_gid gid_of(const struct sockaddr_storage *at)
{
    union ibv_gid gid = {.raw = {0xff, 0x12, 0x40, 0x01, 0xff, 0xff}};
    if (at->ss_family == AF_INET6)
        memcpy(gid.raw, &((const struct sockaddr_in6 *)at)->sin6_addr, sizeof gid.raw);
    else
        memcpy(gid.raw + 12, &((const struct sockaddr_in *)at)->sin_addr, 4);
    return gid;
}

static size_t length(const struct sockaddr *at)
{
    return at->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : at->sa_family == AF_INET ? sizeof(struct sockaddr_in) : 0;
}

static int join(struct rdma_cm_id *id, const struct sockaddr *addr, int only_sends, void *context)
{
    struct manager_id *m = manager_id(id);
    struct sockaddr_storage at = {0};
    if (!id->verbs || id->qp_type != IBV_QPT_UD || !addr || !length(addr))
        return manager_fail(EINVAL);
    memcpy(&at, addr, length(addr));
    struct manager_group *group = manager_is_group(&at) ? calloc(1, sizeof *group) : NULL;
    if (!group)
        return manager_fail(manager_is_group(&at) ? ENOMEM : EINVAL);
    group->at = at;
    group->gid = gid_of(&at);
    manager_lock();
    int error = id->qp && !only_sends ? ibv_attach_mcast(id->qp, &group->gid, 0xc000) : 0;
    group->is_attached = id->qp && !only_sends && !error;
    group->next = m->groups;
    m->groups = group;
    manager_tell_group(m, error, &group->gid, context);
    manager_unlock();
    return manager_complete(m);
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, void *context)
{
    return join(id, addr, 0, context);
}

int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context)
{
    const uint32_t needs = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
    if (attr->comp_mask != needs || attr->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED)
        return manager_fail(EINVAL);
    return join(id, attr->addr, attr->join_flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER, context);
}

static void leave(struct manager_id *m, struct manager_group **at)
{
    struct manager_group *group = *at;
    *at = group->next;
    if (group->is_attached && m->id.qp)
        ibv_detach_mcast(m->id.qp, &group->gid, 0xc000);
    free(group);
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
    struct manager_id *m = manager_id(id);
    manager_lock();
    struct manager_group **at = &m->groups;
    while (*at && (!addr || memcmp(&(*at)->at, addr, length(addr)) != 0))
        at = &(*at)->next;
    int failed = *at ? 0 : manager_fail(EADDRNOTAVAIL);
    if (!failed)
        leave(m, at);
    manager_unlock();
    return failed;
}

/* Its queue pair is attached to no group any more; and it has left all. */
void manager_leave_groups(struct manager_id *m)
{
    while (m->groups)
        leave(m, &m->groups);
}
