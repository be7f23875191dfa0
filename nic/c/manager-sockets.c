/* Sockets over RDMA are not there: a program that is linked with them is told so by the first call. */
#include <errno.h>
#include <poll.h>

int rpoll(struct pollfd *fds, nfds_t n, int timeout);

/* Of descriptors that are none of theirs, as programs do that have both. */
int rpoll(struct pollfd *fds, nfds_t n, int timeout)
{
    return poll(fds, n, timeout);
}

#define ABSENT(name)        \
    long name(void);        \
    long name(void)         \
    {                       \
        errno = EOPNOTSUPP; \
        return -1;          \
    }
ABSENT(rsocket)
ABSENT(rbind)
ABSENT(rlisten)
ABSENT(raccept)
ABSENT(rconnect)
ABSENT(rshutdown)
ABSENT(rclose)
ABSENT(rrecv)
ABSENT(rrecvfrom)
ABSENT(rrecvmsg)
ABSENT(rsend)
ABSENT(rsendto)
ABSENT(rsendmsg)
ABSENT(rread)
ABSENT(rreadv)
ABSENT(rwrite)
ABSENT(rwritev)
ABSENT(rselect)
ABSENT(rgetpeername)
ABSENT(rgetsockname)
ABSENT(rsetsockopt)
ABSENT(rgetsockopt)
ABSENT(rfcntl)
ABSENT(riomap)
ABSENT(riounmap)
ABSENT(riowrite)
