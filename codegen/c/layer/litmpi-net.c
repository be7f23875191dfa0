/* Processes with the same memory in the same places: who they are, what of the memory is taken, work identifiers. */
#define _GNU_SOURCE
#include "litmpi-net.h"
#include "litmpi-verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void litmpi_net_failed(const char *what)
{
    fprintf(stderr, "litmpi: %s%s%s\n", what, errno > 0 ? ": " : "", errno > 0 ? strerror(errno) : "");
    exit(3);
}

void *litmpi_zeroed(uint64_t bytes)
{
    void *made = calloc(1, bytes);
    if (!made)
        litmpi_net_failed("memory");
    return made;
}

void litmpi_work_begin(struct litmpi_net *net, struct litmpi_work *work)
{
    work->last = litmpi_zeroed((uint64_t)net->nodes * sizeof *work->last);
}

uint64_t litmpi_take(struct litmpi_net *net, uint64_t bytes)
{
    uint64_t at = net->taken;
    errno = 0;
    if (bytes > net->bytes - at)
        litmpi_net_failed("there is not enough registered memory for this object: open the net with more bytes");
    net->taken += (bytes + 7) / 8 * 8;
    return at;
}

struct litmpi_users litmpi_users_of(struct litmpi_net *net, struct litmpi_nodes nodes)
{
    int *of = litmpi_zeroed((uint64_t)(nodes.count > 0 ? nodes.count : 1) * sizeof *of), own = -1;
    errno = 0;
    for (int i = 0; i < nodes.count; i++) {
        of[i] = nodes.of[i];
        if (of[i] < 0 || of[i] >= net->nodes)
            litmpi_net_failed("there is no process with this rank");
        own = of[i] == net->rank ? i : own;
    }
    return (struct litmpi_users){.count = nodes.count, .of = of, .own = own};
}

void litmpi_must(int is_user, const char *function)
{
    errno = 0;
    if (is_user)
        return;
    fprintf(stderr, "litmpi: %s\n", function);
    litmpi_net_failed("this process is none of those that were said to call this on this object, when it was made");
}

struct litmpi_net *litmpi_net_open(int rank, int nodes, uint64_t bytes, const char *meet)
{
    errno = 0;
    if (nodes < 1 || rank < 0 || rank >= nodes || bytes < 8)
        litmpi_net_failed("a rank is from 0 to below the number of processes, and there is some memory");
    struct litmpi_net *net = litmpi_zeroed(sizeof *net);
    const char *index = getenv("LITMPI_GID_INDEX"), *call;
    uint64_t count = (uint64_t)nodes;
    bytes = bytes / 8 * 8;
    *net = (struct litmpi_net){.rank = rank, .nodes = nodes, .bytes = bytes, .meet = strdup(meet)};
    net->posted = litmpi_zeroed(count * sizeof *net->posted);
    net->done = litmpi_zeroed(count * sizeof *net->done);
    struct litmpi_address mine, *address = litmpi_zeroed(count * sizeof *address);
    uint32_t *own = litmpi_zeroed(count * sizeof *own), *all = litmpi_zeroed(count * count * sizeof *all);
    errno = litmpi_verbs_open(&net->device, getenv("LITMPI_DEVICE"), index ? atoi(index) : 0, rank, nodes, bytes, &mine, own, &call);
    if (errno)
        litmpi_net_failed(call);
    net->memory = litmpi_verbs_memory(net->device);
    litmpi_meet_all(meet, rank, nodes, "address", &mine, address, sizeof mine);
    litmpi_meet_all(meet, rank, nodes, "queues", own, all, count * sizeof *own);
    for (int n = 0; n < nodes; n++)
        if (n != rank && (errno = litmpi_verbs_connect(net->device, n, &address[n], all[(uint64_t)n * count + (uint64_t)rank], &call)))
            litmpi_net_failed(call);
    char ready = 1;
    litmpi_meet_all(meet, rank, nodes, "ready", &ready, all, 1);
    free(address);
    free(own);
    free(all);
    return net;
}

struct litmpi_net *litmpi_net_from_environment(void)
{
    const char *rank = getenv("LITMPI_RANK"), *nodes = getenv("LITMPI_NODES"), *meet = getenv("LITMPI_MEET");
    const char *bytes = getenv("LITMPI_BYTES");
    errno = 0;
    if (!rank || !nodes || !meet)
        litmpi_net_failed("LITMPI_RANK, LITMPI_NODES and LITMPI_MEET say which process this is, how many there are, and where they meet");
    return litmpi_net_open(atoi(rank), atoi(nodes), bytes ? strtoull(bytes, NULL, 10) : 1 << 20, meet);
}

/* Takes a completion if there is one. Those of a queue pair come in its order. */
static int completed(struct litmpi_net *net, int node)
{
    const char *status;
    int n = litmpi_verbs_poll(net->device, node, &status);
    errno = 0;
    if (n < 0)
        litmpi_net_failed(status);
    net->done[node] += n == 1;
    return n == 1;
}

static void post(struct litmpi_net *net, int is_read, int node, uint64_t far, uint64_t own, uint64_t bytes, struct litmpi_work *work)
{
    errno = 0;
    if (node < 0 || node >= net->nodes || node == net->rank)
        litmpi_net_failed("puts and gets go to other processes");
    if (far > net->bytes || own > net->bytes || bytes > net->bytes - far || bytes > net->bytes - own || bytes > UINT32_MAX)
        litmpi_net_failed("a put or get beyond the registered memory");
    while (net->posted[node] - net->done[node] >= LITMPI_DEPTH)
        if (!completed(net, node))
            litmpi_pause(net);
    errno = litmpi_verbs_post(net->device, is_read, node, far, own, (uint32_t)bytes);
    if (errno)
        litmpi_net_failed("ibv_post_send");
    work->last[node] = ++net->posted[node];
}

void litmpi_put(struct litmpi_net *net, int node, uint64_t to, uint64_t own, uint64_t bytes, struct litmpi_work *work)
{
    post(net, 0, node, to, own, bytes, work);
}

void litmpi_get(struct litmpi_net *net, int node, uint64_t from, uint64_t own, uint64_t bytes, struct litmpi_work *work)
{
    post(net, 1, node, from, own, bytes, work);
}

void litmpi_wait(struct litmpi_net *net, const struct litmpi_work *work)
{
    for (int n = 0; n < net->nodes; n++)
        while (net->done[n] < work->last[n])
            if (!completed(net, n))
                litmpi_pause(net);
}

void litmpi_net_close(struct litmpi_net *net)
{
    char done = 1, *all = litmpi_zeroed((uint64_t)net->nodes);
    for (int n = 0; n < net->nodes; n++)
        while (net->done[n] < net->posted[n])
            if (!completed(net, n))
                litmpi_pause(net);
    litmpi_meet_all(net->meet, net->rank, net->nodes, "close", &done, all, 1);
    litmpi_verbs_close(net->device);
    free(all);
}
