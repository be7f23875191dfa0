/* Asynchronous events: a pipe with a name beside the region's file, into which the device writes what has happened and to what, as it
 * does for channels; so does the front, of what the program brings about itself. */
#define _GNU_SOURCE
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As it stands in the pipe: the kind of event, and the number of what it is about. */
struct note {
    uint64_t type, about;
};

int nic_make_events(struct nic_context *c)
{
    snprintf(c->events, sizeof c->events, "%s/%d.events", getenv("LITMPI_NIC"), c->number);
    if (mkfifo(c->events, 0600))
        return errno;
    /* Open for both, it does not end when the device closes it. */
    c->hear = open(c->events, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (c->hear >= 0)
        return 0;
    int error = errno;
    unlink(c->events);
    return error;
}

void nic_end_events(struct nic_context *c)
{
    close(c->hear);
    unlink(c->events);
}

void nic_event(struct nic_context *c, enum ibv_event_type type, unsigned about)
{
    struct note note = {(uint64_t)type, about};
    /* A descriptor of its own: the program's may block. One that finds no room is lost: nobody has listened for thousands. */
    int tell = open(c->events, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (tell < 0)
        return;
    ssize_t written = write(tell, &note, sizeof note);
    (void)written;
    close(tell);
}

int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
    struct nic_context *c = nic_context(context);
    struct note note;
    for (;;) {
        if (read(context->async_fd, &note, sizeof note) != (ssize_t)sizeof note)
            return -1;
        memset(event, 0, sizeof *event);
        event->event_type = (enum ibv_event_type)note.type;
        switch (event->event_type) {
        case IBV_EVENT_PORT_ACTIVE:
        case IBV_EVENT_PORT_ERR:
            event->element.port_num = (int)note.about;
            return 0;
        case IBV_EVENT_CQ_ERR:
            event->element.cq = note.about < NIC_CQ_COUNT ? atomic_load(&c->cqs[note.about]) : NULL;
            break;
        case IBV_EVENT_SRQ_ERR:
        case IBV_EVENT_SRQ_LIMIT_REACHED:
            event->element.srq = note.about < NIC_SRQ_COUNT ? atomic_load(&c->srqs[note.about]) : NULL;
            break;
        default:
            event->element.qp = note.about < NIC_QP_COUNT ? atomic_load(&c->qps[note.about]) : NULL;
        }
        if (event->element.qp) /* otherwise of what has been destroyed */
            return 0;
    }
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
