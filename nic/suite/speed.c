/* How much time the device takes for what it is asked for: processor time of the process that serves this one, for each message and for
 * each MiB, and the clock's.
 *
 *     cc -O2 -o speed speed.c -libverbs && litmpi nic --scheduler prompt -- ./speed
 *
 * Where something else than the emulated NIC is the device, the time of the parent says nothing. */
#define _GNU_SOURCE
#include "ends.h"

#include <unistd.h>

enum { MANY = 16, LARGE = 1 << 20 };

/* Seconds that a process has had of processors: in its own code, and in the kernel. */
static void spent(pid_t pid, double of[2])
{
    char path[64], line[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    unsigned long user = 0, kernel = 0;
    if (f && fgets(line, sizeof line, f))
        sscanf(strrchr(line, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
    if (f)
        fclose(f);
    of[0] = user / (double)sysconf(_SC_CLK_TCK);
    of[1] = kernel / (double)sysconf(_SC_CLK_TCK);
}

static void take(struct ibv_cq *cq, int n)
{
    struct ibv_wc wc;
    while (n > 0)
        if (ibv_poll_cq(cq, 1, &wc) > 0) {
            need(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
            n--;
        }
}

static void measure(const char *what, enum ibv_wr_opcode opcode, int times, int deep, size_t length, double units, const char *unit)
{
    double before[2], after[2], begun = now();
    spent(getppid(), before);
    for (int i = 0; i < times; i += deep) {
        int messages = opcode == IBV_WR_SEND;
        for (int k = 0; k < deep && messages; k++)
            need(!receive(&b, k, length), "ibv_post_recv");
        for (int k = 0; k < deep; k++)
            need(!ask_there(&a, &b, opcode, k, length), "ibv_post_send");
        take(a.sent, deep);
        take(b.received, messages ? deep : 0);
    }
    spent(getppid(), after);
    printf("%-28s %8.1f us user, %7.1f us kernel, %8.1f us by the clock a %s\n", what, 1e6 * (after[0] - before[0]) / units,
           1e6 * (after[1] - before[1]) / units, 1e6 * (now() - begun) / units, unit);
    fflush(stdout);
}

/* Larger memory for an end. */
static void enlarge(struct end *e)
{
    need((e->memory = aligned_alloc(4096, LARGE)) != NULL, "memory");
    memset(e->memory, 1, LARGE);
    need((e->mr = ibv_reg_mr(e->pd, e->memory, LARGE, all_rights)) != NULL, "ibv_reg_mr");
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 8000;
    pair();
    measure("writes of 64 B, one by one", IBV_WR_RDMA_WRITE, times, 1, 64, times, "message");
    measure("writes of 64 B, 8 at a time", IBV_WR_RDMA_WRITE, times, MANY / 2, 64, times, "message");
    measure("sends of 64 B, one by one", IBV_WR_SEND, times, 1, 64, times, "message");
    measure("sends of 64 B, 8 at a time", IBV_WR_SEND, times, MANY / 2, 64, times, "message");
    measure("reads of 64 B, one by one", IBV_WR_RDMA_READ, times, 1, 64, times, "message");
    enlarge(&a);
    enlarge(&b);
    measure("writes of 1 MiB, one by one", IBV_WR_RDMA_WRITE, times / 20, 1, LARGE, times / 20, "MiB");
    measure("reads of 1 MiB, one by one", IBV_WR_RDMA_READ, times / 20, 1, LARGE, times / 20, "MiB");
    return 0;
}
