/* Programs that take more for granted than a fabric promises: each says how often it was wrong.
 *
 *     cc -o careless careless.c -libverbs && litmpi nic --adversary torn -- ./careless last-byte
 *
 * On a calm device they are right; each has an adversary that shows its mistake. */
#define _GNU_SOURCE
#include "ends.h"

#include <fcntl.h>

enum { ROUNDS = 400, SIZE = 2048, MANY = 8 };

static volatile char *there(size_t at)
{
    return b.memory + at;
}

static void wait_for(struct ibv_cq *cq)
{
    struct ibv_wc wc;
    while (!ibv_poll_cq(cq, 1, &wc))
        ;
}

/* "When the last byte of a write is there, all of it is." */
static int last_byte(void)
{
    int wrong = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        char value = (char)(round % 100 + 1);
        memset(a.memory, value, SIZE);
        need(!ask_there(&a, &b, IBV_WR_RDMA_WRITE, round, SIZE), "ibv_post_send");
        while (*there(SIZE - 1) != value)
            ;
        int torn = 0;
        for (size_t at = 0; at < SIZE; at++)
            torn |= *there(at) != value;
        wrong += torn;
        wait_for(a.sent);
    }
    return wrong;
}

/* "When the data of the last write is there, the completion of the first one has come." */
static int early(void)
{
    int wrong = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        char value = (char)(round % 100 + 1);
        memset(a.memory, value, 8);
        struct ibv_wc wc;
        for (int i = 0; i < MANY; i++)
            need(!ask(&a, IBV_WR_RDMA_WRITE, i, 8, (uintptr_t)b.memory + 8 * i, b.mr->rkey), "ibv_post_send");
        while (*there(8 * MANY - 1) != value)
            ;
        int come = ibv_poll_cq(a.sent, 1, &wc);
        wrong += !come;
        for (int i = come; i < MANY; i++)
            wait_for(a.sent);
    }
    return wrong;
}

/* "A request whose completion has come has done what it is for", whatever the status. */
static int any_status(void)
{
    int wrong = 0;
    for (int round = 1; round <= 10 * ROUNDS; round++) {
        memset(b.memory, round % 100 + 1, 8);
        need(!ask_there(&a, &b, IBV_WR_RDMA_READ, round, 8), "ibv_post_send");
        wait_for(a.sent);
        wrong += a.memory[0] != round % 100 + 1;
    }
    return wrong;
}

/* "What is sent to a receive that is posted is there within eight milliseconds." */
static int soon(void)
{
    int wrong = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        need(!receive(&b, round, 8), "ibv_post_recv");
        double from = now();
        need(!ask(&a, IBV_WR_SEND, round, 8, 0, 0), "ibv_post_send");
        wait_for(b.received);
        wrong += now() - from > 8e-3;
        wait_for(a.sent);
    }
    return wrong;
}

/* "A link that is up stays up": how often it is told to have gone down, and is found so. */
static int link_stays(void)
{
    int wrong = 0, fd = a.context->async_fd;
    need(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0, "fcntl");
    for (double until = now() + 0.3; now() < until;) {
        struct ibv_async_event event;
        while (!ibv_get_async_event(a.context, &event)) {
            wrong += event.event_type == IBV_EVENT_PORT_ERR && event.element.port_num == 1;
            ibv_ack_async_event(&event);
        }
        struct ibv_port_attr port;
        need(!ibv_query_port(a.context, 1, &port), "ibv_query_port");
        wrong += port.state == IBV_PORT_DOWN;
    }
    return wrong;
}

static const struct {
    const char *name;
    int (*run)(void);
} all[] = {{"last-byte", last_byte}, {"early", early}, {"any-status", any_status}, {"soon", soon}, {"link-stays", link_stays}};

int main(int n, char **words)
{
    /* A request without an answer is sent again after 8 ms, a message without a receive after 10. */
    const struct times times = {.timeout = 11, .retry = 6, .not_ready = 7, .timer = 20};
    pair_with(64, DEPTH, all_rights, times);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (n < 2 || !strcmp(words[1], all[i].name))
            printf("%s: wrong %d times\n", all[i].name, all[i].run());
    return 0;
}
