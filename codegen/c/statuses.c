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

/* A call with one status: `filled` says, when it has returned, whether it is to be filled in. */
#define ONE(call, filled)                               \
    spoil(1, status);                                   \
    int code = call;                                    \
    return restore(code, (filled) ? 1 : 0, 1, status)

#define MANY(call, filled)                              \
    spoil(count, statuses);                             \
    int code = call;                                    \
    return restore(code, filled, count, statuses)

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

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    ONE(litmpi_wait(request, status), 1);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    ONE(PMPI_Test(request, flag, status), *flag);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    ONE(PMPI_Request_get_status(request, flag, status), *flag);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    ONE(litmpi_waitany(count, requests, index, status), 1);
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    ONE(PMPI_Testany(count, requests, index, flag, status), *flag);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    MANY(litmpi_waitall(count, requests, statuses), count);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    MANY(PMPI_Testall(count, requests, flag, statuses), *flag ? count : 0);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    MANY(litmpi_waitsome(count, requests, done, indices, statuses), *done == MPI_UNDEFINED ? 0 : *done);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    MANY(PMPI_Testsome(count, requests, done, indices, statuses), *done == MPI_UNDEFINED ? 0 : *done);
}
