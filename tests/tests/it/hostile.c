/* A program of libibverbs, and beside it one that is corrupted: it writes random words into the memory that it shares with its
 * device. The first one must not notice.
 *
 *   hostile SEED MILLISECONDS */
#define _GNU_SOURCE
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "layout.h"

#define BYTES 4096

static struct ibv_context *context;
static struct ibv_mr *mr;
static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static uint64_t memory[BYTES / 8];

static void need(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "hostile: %s\n", what);
        _exit(3);
    }
}

/* Two queue pairs that are connected with each other. */
static void open_all(void)
{
    int n = 0;
    struct ibv_device **list = ibv_get_device_list(&n);
    need(n > 0, "no device");
    context = ibv_open_device(list[0]);
    need(context != NULL, "the device does not open");
    struct ibv_pd *pd = ibv_alloc_pd(context);
    int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
    mr = ibv_reg_mr(pd, memory, sizeof memory, access);
    cq = ibv_create_cq(context, 64, NULL, NULL, 0);
    need(mr && cq, "no memory region or no completion queue");
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
                                    .cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1}};
    for (int i = 0; i < 2; i++)
        need((qp[i] = ibv_create_qp(pd, &init)) != NULL, "no queue pair");
    struct ibv_port_attr port;
    need(ibv_query_port(context, 1, &port) == 0, "no port");
    for (int i = 0; i < 2; i++) {
        struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = (unsigned)access};
        need(!ibv_modify_qp(qp[i], &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), "INIT");
        a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp[1 - i]->qp_num,
                                 .max_dest_rd_atomic = 1, .min_rnr_timer = 12, .ah_attr = {.dlid = port.lid, .port_num = 1}};
        need(!ibv_modify_qp(qp[i], &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "RTR");
        a = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1};
        need(!ibv_modify_qp(qp[i], &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                                           IBV_QP_MAX_QP_RD_ATOMIC), "RTS");
    }
}

static void post(int i, enum ibv_wr_opcode opcode, unsigned from, unsigned to)
{
    struct ibv_sge sge = {.addr = (uintptr_t)(memory + from), .length = 8, .lkey = mr->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED}, *bad;
    wr.wr.rdma.remote_addr = (uintptr_t)(memory + to);
    wr.wr.rdma.rkey = mr->rkey;
    ibv_post_send(qp[i], &wr, &bad);
}

/* A right program: a word is put, and read back, by the device. */
static void work(uint64_t value)
{
    struct ibv_wc wc;
    memory[0] = value;
    memory[1] = memory[2] = 0;
    for (int step = 0; step < 2; step++) {
        post(step, step ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, step ? 2 : 0, 1);
        time_t until = time(NULL) + 60;
        int n;
        while ((n = ibv_poll_cq(cq, 1, &wc)) == 0 && time(NULL) < until)
            usleep(100);
        need(n == 1 && wc.status == IBV_WC_SUCCESS, "a right request did not complete as it should");
    }
    need(memory[1] == value && memory[2] == value, "what was put was not read back");
}

static uint64_t state;

static uint64_t any(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : state;
}

/* The memory that the front shares with the device. */
static volatile uint64_t *region(void)
{
    char line[4096];
    const char *folder = getenv("LITMPI_NIC");
    FILE *maps = fopen("/proc/self/maps", "r");
    volatile uint64_t *last = NULL;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, folder) && strstr(line, "rw-s"))
            last = (volatile uint64_t *)(uintptr_t)strtoull(line, NULL, 16);
    need(last != NULL, "no region");
    return last;
}

static void be_hostile(uint64_t seed, long milliseconds)
{
    state = seed * 0x9e3779b97f4a7c15u + 1;
    open_all();
    volatile uint64_t *words = region();
    uint64_t values[] = {0, 1, 2, 3, 4, 6, 7, 8, 255, 256, 257, 4096, 1u << 31, 1ull << 32, 1ull << 47, 1ull << 63, ~0ull, ~0ull - 1,
                         ~0ull - 7, (uintptr_t)memory, (uintptr_t)memory + BYTES - 4, mr->lkey, mr->rkey, qp[0]->qp_num,
                         qp[1]->qp_num};
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        for (int i = 0; i < 8; i++) {
            uint64_t at, n = any(3);
            switch (any(8)) {
            case 0: at = any(4) ? NIC_GENERATION : any(16); break;
            case 1: at = NIC_MRS + any(4 * NIC_MR_WORDS); break;
            case 2: at = NIC_CQS + n * NIC_CQ_WORDS + any(NIC_CQ_RING + 8); break;
            case 3: at = NIC_SRQS + n * NIC_SRQ_WORDS + any(NIC_SRQ_RING + 16); break;
            case 4: at = NIC_QPS + n * NIC_QP_WORDS + NIC_QP_RECV_RING + any(64); break;
            case 5: at = NIC_QPS + n * NIC_QP_WORDS + NIC_QP_SEND_RING + any(4 * NIC_WQE_WORDS); break;
            default: at = NIC_QPS + n * NIC_QP_WORDS + any(NIC_QP_HEAD); break;
            }
            uint64_t value = any(16) ? values[any(sizeof values / sizeof *values)] : any(0);
            /* The program's number is the test's to keep, and it closes nothing. */
            if (at != NIC_PID && at != NIC_CLOSED)
                words[at] = any(8) ? value : words[at] + 1;
        }
        for (int i = 0; i < 2; i++)
            post(i, (enum ibv_wr_opcode)any(7), (unsigned)any(8), (unsigned)any(8));
        if (!any(8))
            words[NIC_QPS + any(2) * NIC_QP_WORDS + NIC_QP_STATE] = IBV_QPS_RTS;
        usleep(50);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 < milliseconds);
    _exit(0);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    long milliseconds = argc > 2 ? atol(argv[2]) : 500;
    pid_t other = fork();
    if (other == 0)
        be_hostile(seed, milliseconds);
    open_all();
    uint64_t value = 1;
    /* What the device writes into its memory may end it, which is its own matter. */
    while (waitpid(other, NULL, WNOHANG) == 0)
        work(value++);
    for (int i = 0; i < 50; i++)
        work(value++);
    printf("%llu right requests\n", (unsigned long long)value);
    return 0;
}
