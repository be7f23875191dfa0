/* What connected queue pairs do without: addresses of datagrams.
 *
 * All contexts are ports of one device on a subnet of one address, so a datagram finds its way by the number of the queue pair
 * alone; an address handle of another port leads nowhere.
 * Limits: no global routing headers, no multicast; ports neither come nor go. */
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
    ah->leads = attr->dlid == NIC_LID;
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
    (void)context, (void)grh;
    memset(attr, 0, sizeof *attr);
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
