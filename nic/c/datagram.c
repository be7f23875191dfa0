/* What connected queue pairs do without: addresses of datagrams.
 *
 * All contexts are ports of one device on a subnet of one address, so a datagram finds its way by the number of the queue pair
 * alone; an address handle of another port leads nowhere. What goes to a group the device gives to each queue pair that is attached to it.
 * A datagram of a global address brings its routing header along. Limit: ports neither come nor go. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- addresses ---- */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    if (attr->port_num != 1 || (attr->is_global && attr->grh.sgid_index >= NIC_GIDS)) {
        errno = EINVAL;
        return NULL;
    }
    struct nic_ah *ah = calloc(1, sizeof *ah);
    if (!ah)
        return NULL;
    ah->ah.context = pd->context;
    ah->ah.pd = pd;
    if (attr->is_global && attr->grh.dgid.raw[0] == 0xff)
        memcpy(ah->group, &attr->grh.dgid, sizeof ah->group);
    else
        ah->leads = attr->dlid == NIC_LID;
    ah->is_global = attr->is_global;
    ah->route = attr->grh;
    atomic_fetch_add(&((struct nic_pd *)pd)->users, 1);
    return &ah->ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
    atomic_fetch_sub(&((struct nic_pd *)ah->pd)->users, 1);
    free(ah);
    return 0;
}

int ibv_init_ah_from_wc(struct ibv_context *context, uint8_t port, struct ibv_wc *wc, struct ibv_grh *grh,
                        struct ibv_ah_attr *attr)
{
    (void)context;
    memset(attr, 0, sizeof *attr);
    if (wc->wc_flags & IBV_WC_GRH) {
        uint32_t first = be32toh(grh->version_tclass_flow);
        attr->is_global = 1;
        attr->grh = (struct ibv_global_route){.dgid = grh->sgid, .flow_label = first & 0xfffff, .hop_limit = 0xff, .traffic_class = (uint8_t)(first >> 20)};
    }
    attr->dlid = wc->slid;
    attr->sl = wc->sl;
    attr->src_path_bits = wc->dlid_path_bits;
    attr->port_num = port;
    return 0;
}

struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh, uint8_t port)
{
    struct ibv_ah_attr attr;
    ibv_init_ah_from_wc(pd->context, port, wc, grh, &attr);
    return ibv_create_ah(pd, &attr);
}

/* ---- groups ---- */

static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;

/* The place of a group, or of nothing, among those of a queue pair. */
static word *place_of(struct nic_qp *q, const uint64_t group[2])
{
    for (int i = 0; i < NIC_GROUPS; i++) {
        word *at = q->at + NIC_QP_GROUPS + 2 * i;
        if (nic_get(at) == group[0] && nic_get(at + 1) == group[1])
            return at;
    }
    return NULL;
}

/* Whether there is such a group, on a port of InfiniBand, for queue pairs of this type. */
static int may_be(const struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    return qp->qp_type == IBV_QPT_UD && gid->raw[0] == 0xff && (lid == 0 || (lid >= 0xc000 && lid != 0xffff));
}

static int change(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid, int attaches)
{
    static const uint64_t nothing[2];
    struct nic_qp *q = (struct nic_qp *)qp;
    uint64_t group[2];
    memcpy(group, gid, sizeof group);
    if (!may_be(qp, gid, lid))
        return EINVAL;
    pthread_mutex_lock(&attaching);
    word *is = place_of(q, group), *to = attaches ? is ? is : place_of(q, nothing) : is;
    if (to) {
        /* Who looks meanwhile finds another group or none. */
        nic_set(to + 1, attaches ? group[1] : 0);
        nic_set(to, attaches ? group[0] : 0);
    }
    pthread_mutex_unlock(&attaching);
    return to ? 0 : attaches ? ENOMEM : EINVAL;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    return change(qp, gid, lid, 1);
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
    return change(qp, gid, lid, 0);
}

int nic_is_attached(struct nic_qp *q)
{
    int n = 0;
    for (int i = 0; i < NIC_GROUPS; i++)
        n += nic_get(q->at + NIC_QP_GROUPS + 2 * i) != 0;
    return n > 0;
}
