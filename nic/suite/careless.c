/* Programs that take more for granted than a fabric promises: each says how often it was wrong.
 *
 *     cc -o careless careless.c -libverbs && litmpi nic --adversary torn -- ./careless last-byte
 *
 * On a calm device they are right; each has an adversary that shows its mistake. */
#define _GNU_SOURCE
#include "ends.h"

#include <fcntl.h>
#include <unistd.h>

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

/* Whether some byte of a write is not there. */
static int is_torn(char value)
{
    int torn = 0;
    for (size_t at = 0; at < SIZE; at++)
        torn |= *there(at) != value;
    return torn;
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
        wrong += is_torn(value);
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

/* "What has begun to come has come within a fifth of a millisecond." */
static int within(void)
{
    int wrong = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        char value = (char)(round % 100 + 1);
        memset(a.memory, value, SIZE);
        need(!ask_there(&a, &b, IBV_WR_RDMA_WRITE, round, SIZE), "ibv_post_send");
        size_t begun = 0;
        while (!begun)
            for (size_t at = 0; at < SIZE; at += 8)
                begun |= *there(at) == value;
        for (double until = now() + 2e-4; now() < until;)
            ;
        wrong += is_torn(value);
        wait_for(a.sent);
    }
    return wrong;
}

/* Connects both ends anew. */
static void anew(struct times times)
{
    struct end *ends[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
        need(!ibv_modify_qp(ends[i]->qp, &attr, IBV_QP_STATE), "RESET");
    }
    for (int i = 0; i < 2; i++) {
        initialise(ends[i], all_rights);
        connect_to(ends[i], ends[1 - i]->qp->qp_num, times);
    }
}

static const struct times usual = {.timeout = 11, .retry = 6, .not_ready = 7, .timer = 20};

/* Asks for one to be added to a number of the other end's. */
static int add_one(uint64_t id)
{
    struct ibv_sge sge = {(uintptr_t)a.memory, 8, a.mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD};
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.wr.atomic.remote_addr = (uintptr_t)b.memory;
    wr.wr.atomic.rkey = b.mr->rkey;
    wr.wr.atomic.compare_add = 1;
    return ibv_post_send(a.qp, &wr, &bad);
}

/* How many of many requests of this kind fail with this status. */
static int failures(enum ibv_wr_opcode opcode, int many, int status)
{
    int failed = 0;
    for (int round = 1; round <= many; round++) {
        struct ibv_wc wc;
        need(!(opcode == IBV_WR_RDMA_WRITE ? ask_there(&a, &b, opcode, round, 8) : add_one(round)), "ibv_post_send");
        while (!ibv_poll_cq(a.sent, 1, &wc))
            ;
        failed += (int)wc.status == status;
        if (wc.status != IBV_WC_SUCCESS)
            anew(usual);
    }
    return failed;
}

/* "A request that fails has done nothing": how often a number is added to once more than was heard of. */
static int undone(void)
{
    uint64_t *number = (uint64_t *)(void *)b.memory;
    *number = 0;
    uint64_t many = 10 * ROUNDS, failed = (uint64_t)failures(IBV_WR_ATOMIC_FETCH_AND_ADD, (int)many, IBV_WC_RETRY_EXC_ERR);
    return (int)(*(volatile uint64_t *)number + failed - many);
}

/* "No queue pair fails by itself": how often that is told, of either end. */
static int by_itself(void)
{
    int told = 0;
    struct end *ends[] = {&a, &b};
    for (int i = 0; i < 2; i++)
        need(fcntl(ends[i]->context->async_fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    for (int round = 1; round <= 10 * ROUNDS; round++) {
        failures(IBV_WR_RDMA_WRITE, 1, 0);
        for (int i = 0; i < 2; i++) {
            struct ibv_async_event event;
            while (!ibv_get_async_event(ends[i]->context, &event)) {
                told += event.event_type == IBV_EVENT_QP_FATAL && event.element.qp == ends[i]->qp;
                ibv_ack_async_event(&event);
            }
        }
    }
    return told;
}

/* "An answer comes at last, because everything is sent again." */
static int at_last(void)
{
    int failed = 0;
    for (double until = now() + 1.5; now() < until;)
        failed += failures(IBV_WR_RDMA_WRITE, 10, IBV_WC_RETRY_EXC_ERR);
    return failed;
}

/* "A processor may add to a number that a device adds to." */
static int together(void)
{
    uint64_t *number = (uint64_t *)(void *)b.memory, all = 0;
    *number = 0;
    for (int round = 1; round <= ROUNDS / 4; round++) {
        struct ibv_wc wc;
        need(!add_one(round), "ibv_post_send");
        all++;
        while (!ibv_poll_cq(a.sent, 1, &wc)) {
            __atomic_fetch_add(number, 1, __ATOMIC_SEQ_CST);
            all++;
            for (double until = now() + 1e-5; now() < until;)
                ;
        }
    }
    return (int)(all - *(volatile uint64_t *)number);
}

/* "A queue pair need not send anything again": how many messages fail though each has a receive. */
static int never_again(void)
{
    int failed = 0;
    const struct times once = {.timeout = 11, .retry = 0, .not_ready = 0, .timer = 20};
    anew(once);
    for (int round = 1; round <= ROUNDS / DEPTH; round++) {
        struct ibv_wc wc;
        int bad = 0;
        for (int i = 0; i < DEPTH; i++)
            need(!receive(&b, i, 8), "ibv_post_recv");
        for (int i = 0; i < DEPTH; i++)
            need(!ask(&a, IBV_WR_SEND, i, 8, 0, 0), "ibv_post_send");
        for (int left = DEPTH; left > 0;)
            if (ibv_poll_cq(a.sent, 1, &wc) > 0) {
                left--;
                bad += wc.status != IBV_WC_SUCCESS;
            }
        failed += bad;
        for (int left = bad ? 0 : DEPTH; left > 0; left--)
            wait_for(b.received);
        if (bad)
            anew(once);
        while (bad && ibv_poll_cq(b.received, 1, &wc) > 0)
            ;
    }
    anew(usual);
    return failed;
}

/* Not careless: a queue pair that is put into the error state flushes what it has, though a message waits there for a receive. */
static int flushed(void)
{
    int wrong = 0;
    for (int round = 1; round <= 60 && !wrong; round++) {
        struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
        struct ibv_wc wc;
        need(!ask(&a, IBV_WR_SEND, 1, 8, 0, 0), "ibv_post_send");
        usleep(3000);
        need(!ask(&a, IBV_WR_SEND, 2, 8, 0, 0), "ibv_post_send");
        usleep((unsigned)round % 4 * 50);
        need(!ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), "ERR");
        int left = 2;
        for (double until = now() + 2; left > 0 && now() < until;)
            left -= ibv_poll_cq(a.sent, 1, &wc) > 0;
        wrong += left > 0;
        anew(usual);
    }
    return wrong;
}

static const struct {
    const char *name;
    int (*run)(void);
} all[] = {{"last-byte", last_byte}, {"early", early}, {"any-status", any_status}, {"soon", soon}, {"link-stays", link_stays},
         {"within", within},       {"undone", undone}, {"by-itself", by_itself},
         {"at-last", at_last},     {"together", together},
         {"never-again", never_again}, {"flushed", flushed}};

int main(int n, char **words)
{
    /* A request without an answer is sent again after 8 ms, a message without a receive after 10. */
    pair_with(64, DEPTH, all_rights, usual);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (n < 2 || !strcmp(words[1], all[i].name))
            printf("%s: wrong %d times\n", all[i].name, all[i].run());
    return 0;
}
