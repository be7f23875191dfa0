/* Runs a function as several processes, which meet in a folder: `PROGRAM NODES ROUNDS`. */
#define _GNU_SOURCE
#include "litmpi-net.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Says what was seen that must not be, and ends the process. */
static inline void lost(struct litmpi_net *net, const char *what, long round, long found)
{
    fprintf(stderr, "lost: process %d, %ld: %s %ld\n", net->rank, round, what, found);
    exit(1);
}

static inline struct litmpi_nodes some(int *of, int from, int to)
{
    for (int n = from; n < to; n++)
        of[n - from] = n;
    return (struct litmpi_nodes){to - from, of};
}

/* Of the devices that LITMPI_DEVICES lists, each process has the next one. */
static inline void choose_device(int n)
{
    char all[256], *rest = all, *word, *of[16];
    int count = 0;
    snprintf(all, sizeof all, "%s", getenv("LITMPI_DEVICES") ? getenv("LITMPI_DEVICES") : "");
    while (count < 16 && (word = strtok_r(rest, ",", &rest)))
        of[count++] = word;
    if (count)
        setenv("LITMPI_DEVICE", of[n % count], 1);
}

/* Exit code 1 if any process lost something, 3 if any failed. */
static inline int launch(int argc, char **argv, void (*run)(struct litmpi_net *net, long rounds))
{
    char meet[] = "/tmp/litmpi-meet-XXXXXX";
    int nodes = argc > 1 ? atoi(argv[1]) : 2, worst = 0, left = nodes;
    long rounds = argc > 2 ? atol(argv[2]) : 1000;
    pid_t of[64];
    if (nodes < 2 || nodes > 64 || !mkdtemp(meet))
        return 3;
    for (int n = 0; n < nodes; n++)
        if ((of[n] = fork()) == 0) {
            choose_device(n);
            struct litmpi_net *net = litmpi_net_open(n, nodes, 1 << 20, meet);
            run(net, rounds);
            litmpi_net_close(net);
            exit(0);
        }
    for (int status; left > 0 && wait(&status) > 0; left--) {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 3;
        worst = code && !worst ? code : worst;
        for (int n = 0; code && n < nodes; n++) /* the others would wait for it */
            kill(of[n], SIGKILL);
    }
    char clean[64];
    snprintf(clean, sizeof clean, "rm -rf %s", meet);
    if (system(clean))
        return 3;
    if (!worst)
        printf("%ld rounds of %d processes, nothing lost\n", rounds, nodes);
    return worst;
}
