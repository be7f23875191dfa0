/* Rank 0 writes values of several words and puts them to others, which read all of one or nothing. Built with WORDS. */
#include "launch.h"
#include "loco-wide.h"

static void run(struct litmpi_net *net, long rounds)
{
    struct loco_wide *lib = loco_wide_open(net);
    struct loco_wide_place *place = loco_wide_make_place(lib);
    uint64_t end = litmpi_take(net, 8), one = litmpi_take(net, 8);
    struct litmpi_work work;
    litmpi_work_begin(net, &work);
    int64_t words[WORDS];
    for (long i = 1; net->rank == 0 && i <= rounds; i++) {
        for (int w = 0; w < WORDS; w++)
            words[w] = i;
        loco_wide_wide_write(place, words);
        for (int n = 1; n < net->nodes; n++)
            loco_wide_wide_put(place, n, place, &work);
        if (i % 4 == 0)
            loco_wide_wide_wait(lib, &work);
    }
    if (net->rank == 0) {
        litmpi_store(net, one, 1);
        for (int n = 1; n < net->nodes; n++)
            litmpi_put(net, n, end, one, 8, &work);
        litmpi_wait(net, &work);
    }
    for (int64_t whole = 0; net->rank != 0 && !litmpi_load(net, end);) {
        if (loco_wide_wide_read(place, words) == -1)
            continue;
        for (int w = 1; w < WORDS; w++)
            if (words[w] != words[0])
                lost(net, "part of one value and part of another:", whole, (long)words[w]);
        whole++;
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
