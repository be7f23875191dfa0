/* Rank 0 submits messages of several words, all others receive each of them, whole and in order. Built with WORDS. */
#include "launch.h"
#include "loco-wide-ring.h"

static void run(struct litmpi_net *net, long rounds)
{
    int writer[1] = {0}, readers[64];
    struct loco_wide_ring *lib = loco_wide_ring_open(net);
    struct loco_wide_ring_ring *ring =
        loco_wide_ring_make_ring(lib, some(readers, 1, net->nodes), (struct litmpi_nodes){.count = 1, .of = writer});
    int64_t words[WORDS];
    for (long i = 1; i <= rounds; i++) {
        for (int w = 0; w < WORDS; w++)
            words[w] = i * (w + 1);
        if (net->rank == 0) {
            while (!loco_wide_ring_rb_submit(ring, words))
                litmpi_pause(net);
        } else {
            while (loco_wide_ring_rb_receive(ring, words) == -1)
                litmpi_pause(net);
            for (int w = 0; w < WORDS; w++)
                if (words[w] != i * (w + 1))
                    lost(net, "this message is not the next one:", i, words[w]);
        }
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
