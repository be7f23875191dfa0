/* The relaxed style: each blocking MPI call becomes its nonblocking twin, polled with Test and sched_yield.
 *
 * More ranks than cores then still make progress (a library that spins inside a blocking call keeps its peer off
 * the core for a whole time slice), more orders are seen, and a deadlocked call can be given up. It also takes
 * another path inside the library, so a result always says which style it was run in. In blocking style every
 * call goes straight through. Calls that fill in a status come by statuses.c. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#define RELAXED (litmpi_entry.relaxed && litmpi_in_body)
/* Calls that wait for nobody go straight through, so that the library's own answer is seen. */
#define RELAXED_WITH(peer) (RELAXED && (peer) != MPI_PROC_NULL)

/* What a call returns that is given up. Who does not look at codes is told at once, and its requests are taken from it. */
static int given_up(int count, MPI_Request requests[])
{
    if (!litmpi_unchecked)
        return LITMPI_GIVEN_UP;
    litmpi_ok(LITMPI_GIVEN_UP);
    for (int i = 0; i < count; i++) {
        litmpi_leave(&requests[i]);
        requests[i] = MPI_REQUEST_NULL;
    }
    return LITMPI_GIVEN_UP;
}

/* What a call returned that stands for one that waits: an error is told of the call that was made. */
static int from(const char *call, int code)
{
    if (code != MPI_SUCCESS)
        litmpi_polled = call;
    return code;
}

/* Polls until the request completes; one that is given up is left to the harness. */
int litmpi_poll(MPI_Request *request, MPI_Status *status, enum litmpi_request_kind kind)
{
    struct litmpi_wait wait = {0};
    for (;;) {
        int flag = 0;
        int code = from("MPI_Test", PMPI_Test(request, &flag, status));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait)) {
            litmpi_abandon(*request, kind);
            return given_up(0, NULL);
        }
    }
}

static int start(int code, MPI_Request *request, MPI_Status *status, enum litmpi_request_kind kind)
{
    return code == MPI_SUCCESS ? litmpi_poll(request, status, kind) : code;
}

/* Of a send on this communicator. */
static enum litmpi_request_kind sending(MPI_Comm comm)
{
    return (enum litmpi_request_kind)(comm == litmpi_comm ? LITMPI_SENDING : LITMPI_SENDING | LITMPI_APART);
}

#define SEND(blocking, nonblocking)                                                                             \
    int MPI_##blocking(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)         \
    {                                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                                 \
        if (!RELAXED_WITH(dest))                                                                                        \
            return PMPI_##blocking(buf, count, type, dest, tag, comm);                                          \
        return start(PMPI_##nonblocking(buf, count, type, dest, tag, comm, &request), &request,                 \
                     MPI_STATUS_IGNORE, sending(comm));                                                         \
    }                                                                                                           \
    int MPI_##nonblocking(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,      \
                          MPI_Request *request)                                                                 \
    {                                                                                                           \
        int code = PMPI_##nonblocking(buf, count, type, dest, tag, comm, request);                              \
        if (code == MPI_SUCCESS)                                                                                \
            litmpi_track(*request, sending(comm));                                                              \
        return code;                                                                                            \
    }

SEND(Send, Isend)
SEND(Ssend, Issend)
SEND(Bsend, Ibsend)
SEND(Rsend, Irsend)

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    int code = PMPI_Irecv(buf, count, type, source, tag, comm, request);
    if (code == MPI_SUCCESS)
        litmpi_track(*request, LITMPI_RECEIVING);
    return code;
}

int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request)
{
    int code = PMPI_Imrecv(buf, count, type, message, request);
    if (code == MPI_SUCCESS)
        litmpi_track(*request, LITMPI_RECEIVING);
    return code;
}

/* Persistent requests are told apart, so that those left behind are freed. */

#define PERSISTENT(name, qualifier, peer, kind)                                                              \
    int MPI_##name(qualifier void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,      \
                   MPI_Request *request)                                                                     \
    {                                                                                                        \
        int code = PMPI_##name(buf, count, type, peer, tag, comm, request);                                  \
        if (code == MPI_SUCCESS)                                                                             \
            litmpi_track(*request, (enum litmpi_request_kind)(LITMPI_PERSISTENT | (kind)));                  \
        return code;                                                                                         \
    }

PERSISTENT(Send_init, const, dest, sending(comm))
PERSISTENT(Ssend_init, const, dest, sending(comm))
PERSISTENT(Bsend_init, const, dest, sending(comm))
PERSISTENT(Rsend_init, const, dest, sending(comm))
PERSISTENT(Recv_init, , source, LITMPI_RECEIVING)

/* A request that the test has marked is not marked again when it is left behind: Open MPI crashes then. */
int MPI_Cancel(MPI_Request *request)
{
    int code = PMPI_Cancel(request);
    if (code == MPI_SUCCESS)
        litmpi_mark(*request);
    return code;
}

/* When a receive that is let go of is over nobody can know, but the harness must before it looks at memory or uses it again. So
 * the harness keeps the request of one that is under way, and the library's own call is made for others. */
int MPI_Request_free(MPI_Request *request)
{
    int kind = *request == MPI_REQUEST_NULL ? LITMPI_SENDING : litmpi_kind(*request), complete = 0;
    if (!LITMPI_IS(kind, LITMPI_RECEIVING))
        return PMPI_Request_free(request);
    int code = PMPI_Request_get_status(*request, &complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || complete)
        return PMPI_Request_free(request);
    litmpi_abandon(*request, (enum litmpi_request_kind)kind);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int litmpi_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (!RELAXED_WITH(source))
        return PMPI_Recv(buf, count, type, source, tag, comm, status);
    return start(PMPI_Irecv(buf, count, type, source, tag, comm, &request), &request, status, LITMPI_RECEIVING);
}

int litmpi_sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    if (!RELAXED)
        return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                             recvtag, comm, status);
    int code = source == MPI_PROC_NULL
                   ? PMPI_Recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status)
                   : PMPI_Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &receive);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &send);
    if (code == MPI_SUCCESS)
        code = litmpi_poll(&send, MPI_STATUS_IGNORE, sending(comm));
    if (code == MPI_SUCCESS)
        return receive == MPI_REQUEST_NULL ? code : litmpi_poll(&receive, status, LITMPI_RECEIVING);
    litmpi_abandon(receive, LITMPI_RECEIVING);
    return code;
}

/* Completion calls: the requests stay the caller's when given up. */

int litmpi_wait(MPI_Request *request, MPI_Status *status)
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Wait(request, status);
    for (;;) {
        int flag = 0;
        int code = from("MPI_Test", PMPI_Test(request, &flag, status));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(1, request);
    }
}

int litmpi_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Waitall(count, requests, statuses);
    for (;;) {
        int flag = 0;
        int code = from("MPI_Testall", PMPI_Testall(count, requests, &flag, statuses));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(count, requests);
    }
}

int litmpi_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Waitany(count, requests, index, status);
    for (;;) {
        int flag = 0;
        int code = from("MPI_Testany", PMPI_Testany(count, requests, index, &flag, status));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(count, requests);
    }
}

int litmpi_waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Waitsome(count, requests, done, indices, statuses);
    for (;;) {
        int code = from("MPI_Testsome", PMPI_Testsome(count, requests, done, indices, statuses));
        if (code != MPI_SUCCESS || *done != 0)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(count, requests);
    }
}

int litmpi_mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Mprobe(source, tag, comm, message, status);
    for (;;) {
        int flag = 0;
        int code = from("MPI_Improbe", PMPI_Improbe(source, tag, comm, &flag, message, status));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(0, NULL);
    }
}

int litmpi_probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct litmpi_wait wait = {0};
    if (!RELAXED)
        return PMPI_Probe(source, tag, comm, status);
    for (;;) {
        int flag = 0;
        int code = from("MPI_Iprobe", PMPI_Iprobe(source, tag, comm, &flag, status));
        if (code != MPI_SUCCESS || flag)
            return code;
        if (!litmpi_idle(&wait))
            return given_up(0, NULL);
    }
}
