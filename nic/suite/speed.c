/* How much time the device takes for what it is asked for: processor time of the process that serves this one, for each message and for
 * each MiB, and the clock's.
 *
 *     cc -O2 -o speed speed.c -libverbs && litmpi nic --scheduler prompt -- ./speed
 *
 * Where something else than the emulated NIC is the device, the time of the parent says nothing. `speed 8000 shared` has no device: two
 * processes copy into memory that they share, and look there. `nic/suite/speed.py` runs all in turn. */
#define _GNU_SOURCE
#include "ends.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/* A message that the other process has copied away before the next is written. */
static void copied(const char *what, int times, size_t length, const char *unit)
{
    volatile int *turn = mmap(NULL, 4096 + LARGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *mine = malloc(LARGE), *ours = (char *)turn + 4096;
    need(turn != MAP_FAILED && mine, "memory");
    memset(mine, 1, LARGE);
    pid_t other = fork();
    need(other >= 0, "fork");
    double begun = now();
    for (int i = 0; i < times; i++) {
        while (*turn != 2 * i + !other)
            sched_yield();
        if (other)
            memcpy(ours, mine, length);
        else
            memcpy(mine, ours, length);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        *turn = 2 * i + 1 + !other;
    }
    if (!other)
        _exit(0);
    waitpid(other, NULL, 0);
    printf("%-28s %41.1f us by the clock a %s\n", what, 1e6 * (now() - begun) / times, unit);
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 8000;
    if (argc > 2) {
        copied("messages of 64 B", times, 64, "message");
        copied("messages of 1 MiB", times / 20, LARGE, "MiB");
        return 0;
    }
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
