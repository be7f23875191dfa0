/* The processes in turn give values of several words, which all others take: a team has one giver, so there is a team for each. Then nobody comes out of a barrier before all have come in: what a
 * process puts behind it, another has not seen before it. Built with WORDS. */
#include "launch.h"
#include "puts-team.h"

static void run(struct litmpi_net *net, long rounds)
{
    int all[64];
    struct puts_team *lib = puts_team_open(net);
    struct puts_team_team *of_giver[64], *team;
    for (int g = 0; g < net->nodes; g++) {
        int giver[1] = {g};
        of_giver[g] = puts_team_make_team(lib, some(all, 0, net->nodes), (struct litmpi_nodes){.count = 1, .of = giver});
    }
    uint64_t seen = litmpi_take(net, 8 * (uint64_t)net->nodes), mine = litmpi_take(net, 8);
    struct litmpi_work work;
    litmpi_work_begin(net, &work);
    int64_t words[WORDS];
    for (long i = 1; i <= rounds; i++) {
        for (int w = 0; w < WORDS; w++)
            words[w] = i * (w + 1);
        int giver = (int)(i / 3 % net->nodes); /* each gives several times in a row */
        team = of_giver[giver];
        if (net->rank == giver)
            puts_team_team_give(team, words);
        else
            puts_team_team_take(team, words);
        for (int w = 0; w < WORDS; w++)
            if (words[w] != i * (w + 1))
                lost(net, "this value is not the next one:", i, words[w]);
        for (int n = 0; i % 2 == 0 && n < net->nodes; n++) {
            long other = litmpi_load(net, seen + 8 * (uint64_t)n);
            if (other >= i)
                lost(net, "somebody came out of the barrier before this process came in:", i, other);
        }
        if (i % 2 == 0) {
            puts_team_team_barrier(team);
            litmpi_wait(net, &work);
            litmpi_store(net, mine, i);
            for (int n = 0; n < net->nodes; n++)
                if (n != net->rank)
                    litmpi_put(net, n, seen + 8 * (uint64_t)net->rank, mine, 8, &work);
        }
    }
}

int main(int argc, char **argv)
{
    return launch(argc, argv, run);
}
