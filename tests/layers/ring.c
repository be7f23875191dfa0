/* Rank 0 submits numbers, all others receive each of them, in order. */
#include "launch.h"
#include "loco-ring-buffer.h"

static void run(struct litmpi_net *net, long rounds)
{
    int writer[1] = {0}, readers[64];
    struct loco_ring_buffer *lib = loco_ring_buffer_open(net);
    struct loco_ring_buffer_ring *ring =
        loco_ring_buffer_make_ring(lib, some(readers, 1, net->nodes), (struct litmpi_nodes){1, writer});
    for (long i = 1; i <= rounds; i++) {
        if (net->rank == 0) {
            while (!loco_ring_buffer_rb_submit(ring, i))
                litmpi_pause(net);
        } else {
            int64_t got;
            while ((got = loco_ring_buffer_rb_receive(ring)) == -1)
                litmpi_pause(net);
            if (got != i)
                lost(net, "this message is not the next one:", i, got);
        }
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
