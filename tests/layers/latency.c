/* How long a barrier takes, and a broadcast by a ring buffer with a barrier behind it: `latency NODES ROUNDS`. Rank 0 prints
 * `WHAT BYTES MICROSECONDS` for each round. */
#include "launch.h"
#include "loco-barrier.h"
#include "loco-ring-buffer.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void broadcast(struct litmpi_net *net, struct loco_ring_buffer_ring *ring, int words)
{
    for (int w = 1; w <= words; w++)
        if (net->rank == 0)
            while (!loco_ring_buffer_rb_submit(ring, w))
                litmpi_pause(net);
        else
            for (int64_t got; (got = loco_ring_buffer_rb_receive(ring)) != w;)
                if (got == -1)
                    litmpi_pause(net);
                else
                    lost(net, "this word is not the next one:", w, (long)got);
}

static void run(struct litmpi_net *net, long rounds)
{
    int all[64], readers[64], writer[1] = {0};
    struct loco_barrier_barrier *barrier = loco_barrier_make_barrier(loco_barrier_open(net), some(all, 0, net->nodes));
    struct loco_ring_buffer_ring *ring = loco_ring_buffer_make_ring(
        loco_ring_buffer_open(net), some(readers, 1, net->nodes), (struct litmpi_nodes){.count = 1, .of = writer});
    for (int bytes = 0; bytes <= 64; bytes = bytes ? bytes * 8 : 8)
        for (long i = -rounds / 10; i < rounds; i++) {
            double begun = now();
            broadcast(net, ring, bytes / 8);
            loco_barrier_bar(barrier);
            if (net->rank == 0 && i >= 0)
                printf("%s %d %.2f\n", bytes ? "broadcast" : "barrier", bytes, now() - begun);
        }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
