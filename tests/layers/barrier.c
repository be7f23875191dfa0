/* What was put and fetched before a barrier is there behind it; nobody is a round ahead. */
#include "launch.h"
#include "loco-barrier.h"

static void run(struct litmpi_net *net, long rounds)
{
    int all[64];
    struct loco_barrier_barrier *barrier = loco_barrier_make_barrier(loco_barrier_open(net), some(all, 0, net->nodes));
    uint64_t mine = litmpi_take(net, 8 * (uint64_t)net->nodes), put = litmpi_take(net, 8 * (uint64_t)net->nodes);
    uint64_t got = litmpi_take(net, 8 * (uint64_t)net->nodes);
    struct litmpi_work work;
    litmpi_work_begin(net, &work);
    for (long i = 1; i <= rounds; i++) {
        litmpi_store(net, mine, i);
        loco_barrier_bar(barrier);
        for (int n = 0; n < net->nodes; n++)
            if (n != net->rank) {
                litmpi_put(net, n, put + 8 * (uint64_t)net->rank, mine, 8, &work);
                litmpi_get(net, n, mine, got + 8 * (uint64_t)n, 8, &work);
            }
        loco_barrier_bar(barrier);
        for (int n = 0; n < net->nodes; n++)
            if (n != net->rank) {
                if (litmpi_load(net, put + 8 * (uint64_t)n) != i)
                    lost(net, "a put before the barrier is not there:", i, (long)litmpi_load(net, put + 8 * (uint64_t)n));
                if (litmpi_load(net, got + 8 * (uint64_t)n) != i)
                    lost(net, "a get before the barrier is not done:", i, (long)litmpi_load(net, got + 8 * (uint64_t)n));
            }
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
