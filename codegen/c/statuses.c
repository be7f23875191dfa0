/* Calls that fill in statuses. Before each, its statuses are given a source, a tag, a count and an error that none has, so that one which
 * the library leaves as it was is seen when the test reads it; what a call need not fill in has its old contents again afterwards. */
#define _XOPEN_SOURCE 700
#include "harness.h"

enum { MOST = 64 };
static MPI_Status kept[MOST];

static int is_asked(const MPI_Status *statuses)
{
    return litmpi_in_body && statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE;
}

static void spoil(int count, MPI_Status *statuses)
{
    for (int i = 0; is_asked(statuses) && i < count && i < MOST; i++) {
        kept[i] = statuses[i];
        statuses[i].MPI_SOURCE = LITMPI_STALE;
        statuses[i].MPI_TAG = LITMPI_STALE;
        statuses[i].MPI_ERROR = LITMPI_STALE;
        PMPI_Status_set_elements(&statuses[i], MPI_BYTE, 3); /* no number of ints */
    }
}

/* Those from `filled` on need not be filled in. */
static int restore(int code, int filled, int count, MPI_Status *statuses)
{
    for (int i = code == MPI_SUCCESS ? filled : 0; is_asked(statuses) && i < count && i < MOST; i++)
        if (statuses[i].MPI_SOURCE == LITMPI_STALE && statuses[i].MPI_TAG == LITMPI_STALE)
            statuses[i] = kept[i];
    return code;
}

/* Persistent requests that this iteration has started, and not seen complete. */
enum { STARTED = 256 };
static MPI_Request started[STARTED];
static int starts;

static int was_started(MPI_Request request)
{
    for (int i = 0; i < starts; i++)
        if (started[i] == request)
            return 1;
    return 0;
}

static void now_started(MPI_Request request)
{
    if (litmpi_in_body && starts < STARTED && request != MPI_REQUEST_NULL && !was_started(request))
        started[starts++] = request;
}

static void now_ended(MPI_Request request)
{
    for (int i = 0; i < starts; i++)
        if (started[i] == request)
            started[i--] = started[--starts];
}

void litmpi_none_started(void)
{
    starts = 0;
}

/* Whether waiting for a request waits for nothing, so that the status is the empty one: it is null, or persistent and not started. */
int litmpi_is_idle(MPI_Request request)
{
    return request == MPI_REQUEST_NULL || ((litmpi_kind(request) & LITMPI_PERSISTENT) && !was_started(request));
}

/* The error of the empty status is MPI_SUCCESS (MPI-4.1 §3.7.3), and a call that returns one status leaves its error as it was (§3.2.5). Both
 * cannot be; so what is left as it was is told as MPI_SUCCESS where a status is the empty one. */
static void empty(MPI_Status *status)
{
    if (status->MPI_ERROR == LITMPI_STALE)
        status->MPI_ERROR = MPI_SUCCESS;
}

/* A call with one status: `filled` says, when it has returned, whether it is to be filled in. */
#define ONE(call, filled)                               \
    spoil(1, status);                                   \
    int code = call;                                    \
    return restore(code, (filled) ? 1 : 0, 1, status)

int MPI_Recv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    ONE(litmpi_recv(buf, n, type, source, tag, comm, status), 1);
}

int MPI_Mrecv(void *buf, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    ONE(PMPI_Mrecv(buf, n, type, message, status), 1);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    ONE(litmpi_sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status), 1);
}

int MPI_Sendrecv_replace(void *buf, int n, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status)
{
    ONE(PMPI_Sendrecv_replace(buf, n, type, dest, sendtag, source, recvtag, comm, status), 1);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    ONE(litmpi_probe(source, tag, comm, status), 1);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    ONE(litmpi_mprobe(source, tag, comm, message, status), 1);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    ONE(PMPI_Iprobe(source, tag, comm, flag, status), *flag);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    ONE(PMPI_Improbe(source, tag, comm, flag, message, status), *flag);
}

int MPI_Start(MPI_Request *request)
{
    now_started(*request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        now_started(requests[i]);
    return PMPI_Startall(count, requests);
}

/* The requests of a call as they were before it, which of them were idle, and which are no receives: their statuses need have no source and no
 * tag (MPI-4.1 §3.7.3, §6.12). */
typedef struct {
    MPI_Request all[MOST];
    char idle[MOST], other[MOST];
} Before;

static Before before(int count, const MPI_Request requests[])
{
    Before out;
    for (int i = 0; i < count && i < MOST; i++) {
        out.all[i] = requests[i];
        out.idle[i] = litmpi_in_body && litmpi_is_idle(requests[i]);
        out.other[i] = litmpi_in_body && !out.idle[i] && !LITMPI_IS(litmpi_kind(requests[i]), LITMPI_RECEIVING) &&
                       !LITMPI_IS(litmpi_kind(requests[i]), LITMPI_GENERALISED);
    }
    return out;
}

/* What need not be filled in is as it was, where the library has left it so. */
static void unspecified(MPI_Status *status, const MPI_Status *old)
{
    if (status->MPI_SOURCE == LITMPI_STALE)
        status->MPI_SOURCE = old->MPI_SOURCE;
    if (status->MPI_TAG == LITMPI_STALE)
        status->MPI_TAG = old->MPI_TAG;
}

/* These of a call's requests have completed; the first ones if no indices are given. A request that is still there is persistent: one of a
 * collective, too, whose kind nobody has noted. */
static void ended(const Before *were, int n, const int indices[], const MPI_Request now[], MPI_Status *statuses)
{
    for (int k = 0; k < n && k < MOST; k++) {
        int i = indices ? indices[k] : k;
        if (i < 0 || i >= MOST)
            continue;
        int stays = litmpi_in_body && now[i] != MPI_REQUEST_NULL && !was_started(now[i]);
        if ((were->idle[i] || stays) && is_asked(statuses))
            empty(&statuses[k]);
        if (were->other[i] && is_asked(statuses))
            unspecified(&statuses[k], &kept[k]);
        now_ended(were->all[i]);
    }
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    Before were = before(1, request);
    spoil(1, status);
    int code = litmpi_wait(request, status);
    ended(&were, code != LITMPI_GIVEN_UP, NULL, request, status);
    return restore(code, 1, 1, status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    Before were = before(1, request);
    spoil(1, status);
    int code = PMPI_Test(request, flag, status);
    ended(&were, code == MPI_SUCCESS && *flag, NULL, request, status);
    return restore(code, *flag ? 1 : 0, 1, status);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    Before is = before(1, &request);
    spoil(1, status);
    int code = PMPI_Request_get_status(request, flag, status);
    if (is_asked(status) && is.idle[0])
        empty(status);
    if (is_asked(status) && is.other[0] && *flag)
        unspecified(status, &kept[0]);
    return restore(code, *flag ? 1 : 0, 1, status);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    Before were = before(count, requests);
    spoil(1, status);
    int code = litmpi_waitany(count, requests, index, status);
    if (*index == MPI_UNDEFINED && is_asked(status))
        empty(status);
    ended(&were, *index != MPI_UNDEFINED, index, requests, status);
    return restore(code, 1, 1, status);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    Before were = before(count, requests);
    spoil(1, status);
    int code = PMPI_Testany(count, requests, index, flag, status);
    if (code == MPI_SUCCESS && *flag && *index == MPI_UNDEFINED && is_asked(status))
        empty(status);
    ended(&were, code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED, index, requests, status);
    return restore(code, *flag ? 1 : 0, 1, status);
}

/* A call that may complete several requests: `complete` says, when it has returned, how many statuses it has filled in. */
#define MANY(call, complete, indices)                   \
    Before were = before(count, requests);              \
    spoil(count, statuses);                             \
    int code = call, filled = complete;                 \
    ended(&were, filled, indices, requests, statuses);  \
    return restore(code, filled, count, statuses)

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MANY(litmpi_waitall(count, requests, statuses), code == LITMPI_GIVEN_UP ? 0 : count, NULL);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    MANY(PMPI_Testall(count, requests, flag, statuses), code == MPI_SUCCESS && *flag ? count : 0, NULL);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    MANY(litmpi_waitsome(count, requests, done, indices, statuses), *done == MPI_UNDEFINED ? 0 : *done, indices);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    MANY(PMPI_Testsome(count, requests, done, indices, statuses), *done == MPI_UNDEFINED ? 0 : *done, indices);
}
