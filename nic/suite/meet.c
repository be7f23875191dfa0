/* What processes that find each other by librdmacm are told: each line is one thing that one of the two hears.
 *
 *     cc -o meet meet.c -lrdmacm -libverbs && litmpi nic -- ./meet */
#define _GNU_SOURCE
#include "ends.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in at = {.sin_family = AF_INET};

static struct rdma_cm_event *next(struct rdma_event_channel *channel, const char *who)
{
    struct rdma_cm_event *event;
    struct pollfd waits = {.fd = channel->fd, .events = POLLIN};
    need(poll(&waits, 1, 20000) == 1, "no event within 20 s");
    need(!rdma_get_cm_event(channel, &event), "rdma_get_cm_event");
    printf("%s: %s %d", who, rdma_event_str(event->event), event->status);
    if (event->param.conn.private_data && *(const char *)event->param.conn.private_data)
        printf(" \"%s\"", (const char *)event->param.conn.private_data);
    printf("\n");
    fflush(stdout);
    return event;
}

static void make_queue_pair(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr attr = {
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};
    need(!rdma_create_qp(id, NULL, &attr), "rdma_create_qp");
}

static struct rdma_conn_param with(const char *words)
{
    return (struct rdma_conn_param){.private_data = words,
                                    .private_data_len = (uint8_t)(strlen(words) + 1),
                                    .responder_resources = 2,
                                    .initiator_depth = 1,
                                    .retry_count = 7,
                                    .rnr_retry_count = 7};
}

/* Goes to the server, and sends eight bytes if it is let in. */
static void client(const char *words, int leaves)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *id;
    struct rdma_conn_param conn = with(words);
    need(channel && !rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), "rdma_create_id");
    need(!rdma_resolve_addr(id, NULL, (struct sockaddr *)&at, 1000), "rdma_resolve_addr");
    rdma_ack_cm_event(next(channel, "client"));
    need(!rdma_resolve_route(id, 1000), "rdma_resolve_route");
    rdma_ack_cm_event(next(channel, "client"));
    make_queue_pair(id);
    need(!rdma_connect(id, &conn), "rdma_connect");
    struct rdma_cm_event *event = next(channel, "client");
    int is_in = event->event == RDMA_CM_EVENT_ESTABLISHED;
    if (is_in)
        printf("client: answers %d reads, asks %d\n", event->param.conn.responder_resources, event->param.conn.initiator_depth);
    fflush(stdout);
    rdma_ack_cm_event(event);
    if (is_in) {
        static char data[8] = "letter";
        struct ibv_mr *mr = ibv_reg_mr(id->pd, data, sizeof data, IBV_ACCESS_LOCAL_WRITE);
        struct ibv_sge sge = {(uintptr_t)data, sizeof data, mr->lkey};
        struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
        struct ibv_wc wc;
        need(!ibv_post_send(id->qp, &wr, &bad), "ibv_post_send");
        while (!ibv_poll_cq(id->send_cq, 1, &wc))
            ;
        if (!leaves)
            pause();
        printf("client: sent, %s\n", ibv_wc_status_str(wc.status));
        need(!rdma_disconnect(id), "rdma_disconnect");
        rdma_ack_cm_event(next(channel, "client"));
        ibv_dereg_mr(mr);
    }
    rdma_destroy_qp(id);
    need(!rdma_destroy_id(id), "rdma_destroy_id");
    rdma_destroy_event_channel(channel);
    fflush(stdout);
}

static pid_t start(const char *words, int leaves)
{
    fflush(stdout);
    pid_t child = fork();
    need(child >= 0, "fork");
    if (!child) {
        /* A device that is open is the parent's. */
        char port[8];
        snprintf(port, sizeof port, "%d", ntohs(at.sin_port));
        execl("/proc/self/exe", "meet", port, words, leaves ? "leaves" : "stays", (char *)NULL);
        _exit(1);
    }
    return child;
}

/* Lets one in, hears what it sends, and then that it is gone. */
static void let_in(struct rdma_event_channel *channel, pid_t child, int is_killed)
{
    static char data[8];
    struct rdma_conn_param conn = with("come in");
    struct rdma_cm_event *event = next(channel, "server");
    struct rdma_cm_id *id = event->id;
    rdma_ack_cm_event(event);
    make_queue_pair(id);
    struct ibv_mr *mr = ibv_reg_mr(id->pd, data, sizeof data, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_sge sge = {(uintptr_t)data, sizeof data, mr->lkey};
    struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};
    struct ibv_wc wc;
    need(!ibv_post_recv(id->qp, &wr, &bad), "ibv_post_recv");
    need(!rdma_accept(id, &conn), "rdma_accept");
    rdma_ack_cm_event(next(channel, "server"));
    while (!ibv_poll_cq(id->recv_cq, 1, &wc))
        ;
    printf("server: received \"%s\", %s\n", data, ibv_wc_status_str(wc.status));
    if (is_killed)
        kill(child, SIGKILL);
    rdma_ack_cm_event(next(channel, "server"));
    rdma_destroy_qp(id);
    ibv_dereg_mr(mr);
    need(!rdma_destroy_id(id), "rdma_destroy_id");
    waitpid(child, NULL, 0);
}

int main(int n, char **given)
{
    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct rdma_cm_id *listener, *second;
    struct rdma_cm_event *event;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (n > 3) {
        at.sin_port = htons((uint16_t)atoi(given[1]));
        client(given[2], !strcmp(given[3], "leaves"));
        return 0;
    }
    need(channel && !rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP), "rdma_create_id");
    need(!rdma_bind_addr(listener, (struct sockaddr *)&at) && !rdma_listen(listener, 4), "rdma_listen");
    at.sin_port = rdma_get_src_port(listener);
    need(!rdma_create_id(channel, &second, NULL, RDMA_PS_TCP), "rdma_create_id");
    errno = 0;
    printf("the same port again: %s\n", rdma_bind_addr(second, (struct sockaddr *)&at) ? strerror(errno) : "taken");
    need(!fcntl(channel->fd, F_SETFL, O_NONBLOCK), "fcntl");
    printf("no event: %s\n", rdma_get_cm_event(channel, &event) ? strerror(errno) : "there is one");
    let_in(channel, start("knock", 1), 0);
    let_in(channel, start("knock again", 0), 1);
    pid_t child = start("stranger", 1);
    event = next(channel, "server");
    need(!rdma_reject(event->id, "stay out", 9), "rdma_reject");
    struct rdma_cm_id *stranger = event->id;
    rdma_ack_cm_event(event);
    waitpid(child, NULL, 0);
    need(!rdma_destroy_id(stranger) && !rdma_destroy_id(second) && !rdma_destroy_id(listener), "rdma_destroy_id");
    waitpid(start("too late", 1), NULL, 0);
    rdma_destroy_event_channel(channel);
    return 0;
}
