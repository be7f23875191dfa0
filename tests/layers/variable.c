/* Store buffering: each tells its neighbours, fences, and looks. Of two, one at least sees the other. */
#include "launch.h"
#include "loco-barrier.h"
#include "loco-shared-variable.h"

static void run(struct litmpi_net *net, long rounds)
{
    int all[64], others[64], n_others = 0;
    struct loco_barrier_barrier *barrier = loco_barrier_make_barrier(loco_barrier_open(net), some(all, 0, net->nodes));
    struct loco_shared_variable *lib = loco_shared_variable_open(net);
    struct loco_shared_variable_variable *told[64], *seen[64];
    struct litmpi_work work;
    litmpi_work_begin(net, &work);
    for (int n = 0; n < net->nodes; n++) {
        told[n] = loco_shared_variable_make_variable(lib);
        seen[n] = loco_shared_variable_make_variable(lib);
        if (n != net->rank)
            others[n_others++] = n;
    }
    struct litmpi_nodes to = {n_others, others};
    for (long i = 1; i <= rounds; i++) {
        int64_t least = i;
        loco_barrier_bar(barrier);
        loco_shared_variable_sv_write(told[net->rank], i);
        loco_shared_variable_sv_bcast(told[net->rank], &work, to);
        loco_shared_variable_sv_gf(lib, to);
        for (int n = 0; n < net->nodes; n++) {
            int64_t v = loco_shared_variable_sv_read(told[n]);
            least = v < least ? v : least;
        }
        loco_shared_variable_sv_write(seen[net->rank], least);
        loco_shared_variable_sv_bcast(seen[net->rank], &work, to);
        loco_barrier_bar(barrier);
        for (int n = 0; net->nodes == 2 && n < net->nodes; n++)
            if (n != net->rank && least < i && loco_shared_variable_sv_read(seen[n]) < i)
                lost(net, "neither saw the other:", i, (long)least);
        for (int n = 0; n < net->nodes; n++)
            if (loco_shared_variable_sv_read(told[n]) != i)
                lost(net, "a broadcast before the barrier is not there:", i, (long)loco_shared_variable_sv_read(told[n]));
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
