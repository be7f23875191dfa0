/* What connected queue pairs do without: addresses of datagrams, and asynchronous events.
 *
 * All contexts are ports of one device on a subnet of one address, so a datagram finds its way by the number of the queue pair
 * alone; an address handle of another port leads nowhere. Events are those that a program brings about itself: a queue pair with a
 * shared queue takes no more receives once it is in the error state.
 * Limits: no global routing headers, no multicast; ports neither come nor go. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- addresses ---- */

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
    struct nic_ah *ah = calloc(1, sizeof *ah);
    if (!ah)
        return NULL;
    ah->ah.context = pd->context;
    ah->ah.pd = pd;
    ah->leads = attr->dlid == NIC_LID && attr->port_num == 1;
    return &ah->ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
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

/* ---- events ---- */

void nic_event(struct nic_context *c, enum ibv_event_type type, void *element)
{
    struct ibv_async_event event = {.event_type = type};
    event.element.qp = element; /* a union of pointers */
    /* One that finds no room is lost: nobody has listened for thousands. */
    ssize_t written = write(c->tell, &event, sizeof event);
    (void)written;
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    return read(context->async_fd, event, sizeof *event) == (ssize_t)sizeof *event ? 0 : -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

const char *ibv_event_type_str(enum ibv_event_type type)
{
    return type == IBV_EVENT_QP_LAST_WQE_REACHED ? "last work request reached" : "event";
}
