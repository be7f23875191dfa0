/* Rank 0 writes pairs of equal numbers and puts them to others, which read both or nothing. */
#include "launch.h"
#include "loco-mixed-size.h"

static void run(struct litmpi_net *net, long rounds)
{
    struct loco_mixed_size *lib = loco_mixed_size_open(net);
    struct loco_mixed_size_place *pair = loco_mixed_size_make_place(lib);
    uint64_t end = litmpi_take(net, 8), one = litmpi_take(net, 8);
    struct litmpi_work work;
    litmpi_work_begin(net, &work);
    for (long i = 1; net->rank == 0 && i <= rounds; i++) {
        loco_mixed_size_msw_write(pair, i % 64, i % 64);
        for (int n = 1; n < net->nodes; n++)
            loco_mixed_size_msw_put(pair, n, pair, &work);
        if (i % 4 == 0)
            loco_mixed_size_msw_wait(lib, &work);
    }
    if (net->rank == 0) {
        litmpi_store(net, one, 1);
        for (int n = 1; n < net->nodes; n++)
            litmpi_put(net, n, end, one, 8, &work);
        litmpi_wait(net, &work);
    }
    long whole = 0;
    while (net->rank != 0 && !litmpi_load(net, end)) {
        int64_t got = loco_mixed_size_msw_read(pair);
        if (got != -1 && got / 64 != got % 64)
            lost(net, "half of one pair and half of another:", whole, (long)got);
        whole += got != -1;
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
