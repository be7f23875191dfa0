/* How processes find each other: by files in a folder that all see, or by TCP, where rank 0 listens. */
#define _GNU_SOURCE
#include "litmpi-net.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 12000 }; /* a minute, then it is said who is missing */

static void a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void by_files(const char *folder, int rank, int nodes, const char *round, const void *mine, char *all, uint64_t each)
{
    char name[4096], made[4096 + 8];
    snprintf(name, sizeof name, "%s/%s.%d", folder, round, rank);
    snprintf(made, sizeof made, "%s.new", name);
    FILE *f = fopen(made, "w");
    if (!f || fwrite(mine, 1, each, f) != each || fclose(f) || rename(made, name))
        litmpi_net_failed(name);
    for (int n = 0; n < nodes; n++) {
        snprintf(name, sizeof name, "%s/%s.%d", folder, round, n);
        for (int tries = 0; !(f = fopen(name, "r")); tries++) {
            if (tries == TRIES)
                litmpi_net_failed(name);
            a_moment();
        }
        if (fread(all + (uint64_t)n * each, 1, each, f) != each)
            litmpi_net_failed(name);
        fclose(f);
    }
}

static void whole(int socket, char *data, uint64_t bytes, int sends)
{
    while (bytes > 0) {
        ssize_t n = sends ? send(socket, data, bytes, MSG_NOSIGNAL) : recv(socket, data, bytes, 0);
        if (n <= 0)
            litmpi_net_failed("a process that is to meet the others is gone");
        data += n;
        bytes -= (uint64_t)n;
    }
}

static int opened(const char *host, const char *port, int listens)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0}, *list;
    if (getaddrinfo(listens ? NULL : host, port, &hints, &list))
        return -1;
    for (struct addrinfo *a = list; a; a = a->ai_next) {
        int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol), yes = 1;
        if (s >= 0 && listens)
            setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (s >= 0 && (listens ? bind(s, a->ai_addr, a->ai_addrlen) || listen(s, 64) : connect(s, a->ai_addr, a->ai_addrlen)) == 0) {
            freeaddrinfo(list);
            return s;
        }
        if (s >= 0)
            close(s);
    }
    freeaddrinfo(list);
    return -1;
}

static void by_tcp(const char *meet, int rank, int nodes, const char *mine, char *all, uint64_t each)
{
    static int sockets[4096], met;
    char host[256];
    const char *colon = strrchr(meet, ':');
    snprintf(host, sizeof host, "%.*s", (int)(colon - meet), meet);
    errno = 0;
    if (nodes > (int)(sizeof sockets / sizeof *sockets))
        litmpi_net_failed("more processes than can meet by TCP");
    if (!met) {
        int s = -1;
        for (int tries = 0; s < 0 && tries < TRIES; tries++, s < 0 ? a_moment() : (void)0)
            s = opened(host, colon + 1, rank == 0);
        if (s < 0)
            litmpi_net_failed(meet);
        if (rank == 0)
            for (int n = 1, of = 0; n < nodes; n++) {
                int other = accept(s, NULL, NULL);
                if (other < 0)
                    litmpi_net_failed("accept");
                whole(other, (char *)&of, sizeof of, 0);
                if (of < 1 || of >= nodes || sockets[of])
                    litmpi_net_failed("two processes of one rank, or one of another run");
                sockets[of] = other;
            }
        else {
            sockets[0] = s;
            whole(s, (char *)&rank, sizeof rank, 1);
        }
        met = 1;
    }
    memcpy(all + (uint64_t)rank * each, mine, each);
    for (int n = 1; rank == 0 && n < nodes; n++)
        whole(sockets[n], all + (uint64_t)n * each, each, 0);
    for (int n = 1; rank == 0 && n < nodes; n++)
        whole(sockets[n], all, (uint64_t)nodes * each, 1);
    if (rank != 0) {
        whole(sockets[0], all + (uint64_t)rank * each, each, 1);
        whole(sockets[0], all, (uint64_t)nodes * each, 0);
    }
}

void litmpi_meet_all(const char *meet, int rank, int nodes, const char *round, const void *mine, void *all, uint64_t each)
{
    if (strchr(meet, ':') && !strchr(meet, '/'))
        by_tcp(meet, rank, nodes, mine, all, each);
    else
        by_files(meet, rank, nodes, round, mine, all, each);
}
