/* How long a barrier takes, and so many broadcasts of WORDS words with a barrier behind them: `latency NODES ROUNDS`. Rank 0 prints
 * `WHAT BYTES LOAD LAYER MICROSECONDS` for each round. */
#include "launch.h"
#include "loco-barrier.h"
#include "loco-wide-ring.h"
#include "puts-team.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct all {
    struct loco_barrier_barrier *barrier;
    struct puts_team_team *team;
    struct loco_wide_ring_ring *ring;
};

enum { LOCO_BARRIER, TEAM_BARRIER, RING, TEAM };

static void once(struct litmpi_net *net, struct all *all, int what, int load)
{
    int64_t words[WORDS] = {0};
    for (int l = 0; l < load && what == RING; l++)
        while (net->rank == 0 ? !loco_wide_ring_rb_submit(all->ring, words) : loco_wide_ring_rb_receive(all->ring, words) == -1)
            litmpi_pause(net);
    for (int l = 0; l < load && what == TEAM; l++)
        if (net->rank == 0)
            puts_team_team_give(all->team, words);
        else
            puts_team_team_take(all->team, words);
    if (what == LOCO_BARRIER)
        loco_barrier_bar(all->barrier);
    else
        puts_team_team_barrier(all->team);
}

static void timed(struct litmpi_net *net, struct all *all, int what, int load, long rounds)
{
    static const char *names[] = {"loco-barrier", "puts-team", "loco-wide-ring", "puts-team"};
    for (long i = -rounds / 10; i < rounds; i++) {
        double begun = now();
        once(net, all, what, load);
        if (net->rank == 0 && i >= 0)
            printf("%s %d %d %s %.2f\n", load ? "broadcast" : "barrier", load ? 8 * WORDS : 0, load, names[what], now() - begun);
    }
}

static void run(struct litmpi_net *net, long rounds)
{
    int each[64], readers[64], first[1] = {0};
    struct litmpi_nodes root = {.count = 1, .of = first};
    struct all all = {
        loco_barrier_make_barrier(loco_barrier_open(net), some(each, 0, net->nodes)),
        puts_team_make_team(puts_team_open(net), some(each, 0, net->nodes), root),
        loco_wide_ring_make_ring(loco_wide_ring_open(net), some(readers, 1, net->nodes), root),
    };
    if (WORDS == 1) {
        timed(net, &all, LOCO_BARRIER, 0, rounds);
        timed(net, &all, TEAM_BARRIER, 0, rounds);
    }
    for (int load = 1; load <= 8; load *= 8) {
        timed(net, &all, RING, load, rounds);
        timed(net, &all, TEAM, load, rounds);
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
