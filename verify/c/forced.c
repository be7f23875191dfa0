/* What makes a real MPI library behave as a script says: loaded before it, this counts the calls of each function that a rank makes, and changes
 * those that the script names, through the profiling interface (MPI-4.1, section 15.2). The file LITMPI_FORCED has a line for each such call:
 *
 *     RANK FUNCTION NUMBER from SOURCE TAG      a receive or a probe with wildcards has these
 *     RANK FUNCTION NUMBER flag 0|1             a test says this; if yes, it waits
 *     RANK FUNCTION NUMBER index I              this request is completed; -1: none is active, -2: none is complete
 *     RANK FUNCTION NUMBER indices N I...       these requests are completed
 *     RANK FUNCTION NUMBER synchronous          a send waits for its receive
 *     RANK FUNCTION NUMBER synchronising        a collective waits for all
 *
 * It is compiled by the compiler of the library that it is for. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

/* What is forced in a call. */
struct forced {
    char function[32], verb[16];
    int number, n, values[WORDS];
};

static struct forced *all;
static int count;

/* Reads the lines of this rank. */
static void read_script(void)
{
    static int done;
    char line[4096], *path = getenv("LITMPI_FORCED");
    FILE *file;
    int me;
    if (done)
        return;
    done = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (!path || !(file = fopen(path, "r")))
        return;
    while (fgets(line, sizeof line, file)) {
        struct forced f = {.n = 0};
        int rank, at = 0, used;
        if (sscanf(line, "%d %31s %d %15s%n", &rank, f.function, &f.number, f.verb, &at) != 4 || rank != me)
            continue;
        while (f.n < WORDS && sscanf(line + at, "%d%n", &f.values[f.n], &used) == 1)
            f.n++, at += used;
        all = realloc(all, (count + 1) * sizeof *all);
        if (!all)
            abort();
        all[count++] = f;
    }
    fclose(file);
}

/* What is forced in the next call of a function, whose calls are counted. */
static const struct forced *next_call(const char *function, int *calls, const char *verb)
{
    int number = (*calls)++;
    read_script();
    for (int i = 0; i < count; i++)
        if (all[i].number == number && !strcmp(all[i].function, function) && !strcmp(all[i].verb, verb))
            return &all[i];
    return NULL;
}

#define NEXT(verb) static int calls; const struct forced *f = next_call(__func__, &calls, verb)

/* Takes the wildcards out of a source and a tag. */
static void name(const struct forced *f, int *source, int *tag)
{
    if (f && f->n == 2 && *source == MPI_ANY_SOURCE)
        *source = f->values[0];
    if (f && f->n == 2 && *tag == MPI_ANY_TAG)
        *tag = f->values[1];
}

int MPI_Recv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Recv(buf, n, type, source, tag, comm, status);
}

int MPI_Irecv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Irecv(buf, n, type, source, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int dest, int outtag, void *in, int nin, MPI_Datatype tin, int source, int tag,
                 MPI_Comm comm, MPI_Status *status)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Sendrecv(out, nout, tout, dest, outtag, in, nin, tin, source, tag, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int n, MPI_Datatype type, int dest, int outtag, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Sendrecv_replace(buf, n, type, dest, outtag, source, tag, comm, status);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Probe(source, tag, comm, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    NEXT("from");
    name(f, &source, &tag);
    return PMPI_Mprobe(source, tag, comm, message, status);
}

/* A test of a message that says no, or waits: where the script says nothing the library decides. */
#define PROBE(wait, ask)                                                      \
    static int calls;                                                         \
    int number = calls;                                                       \
    const struct forced *f = next_call(__func__, &calls, "from");             \
    calls = number;                                                           \
    const struct forced *no = next_call(__func__, &calls, "flag");            \
    if (f || (no && no->values[0])) {                                         \
        name(f, &source, &tag);                                               \
        *flag = 1;                                                            \
        return wait;                                                          \
    }                                                                         \
    if (no) {                                                                 \
        *flag = 0;                                                            \
        return MPI_SUCCESS;                                                   \
    }                                                                         \
    return ask

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    PROBE(PMPI_Probe(source, tag, comm, status), PMPI_Iprobe(source, tag, comm, flag, status));
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    PROBE(PMPI_Mprobe(source, tag, comm, message, status), PMPI_Improbe(source, tag, comm, flag, message, status));
}

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    NEXT("synchronous");
    return f ? PMPI_Ssend(buf, n, type, dest, tag, comm) : PMPI_Send(buf, n, type, dest, tag, comm);
}

int MPI_Isend(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    NEXT("synchronous");
    return f ? PMPI_Issend(buf, n, type, dest, tag, comm, request) : PMPI_Isend(buf, n, type, dest, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    NEXT("flag");
    if (!f)
        return PMPI_Test(request, flag, status);
    *flag = f->values[0];
    return *flag ? PMPI_Wait(request, status) : MPI_SUCCESS;
}

int MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    NEXT("flag");
    if (!f)
        return PMPI_Testall(n, requests, flag, statuses);
    *flag = f->values[0];
    return *flag ? PMPI_Waitall(n, requests, statuses) : MPI_SUCCESS;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    NEXT("flag");
    int result = MPI_SUCCESS;
    if (!f)
        return PMPI_Request_get_status(request, flag, status);
    *flag = 0;
    while (f->values[0] && !*flag && result == MPI_SUCCESS)
        result = PMPI_Request_get_status(request, flag, status);
    return result;
}

int MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    NEXT("index");
    if (!f || f->values[0] < 0 || f->values[0] >= n)
        return PMPI_Waitany(n, requests, index, status);
    *index = f->values[0];
    return PMPI_Wait(&requests[*index], status);
}

int MPI_Testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    NEXT("index");
    if (!f || f->values[0] == -1 || f->values[0] >= n)
        return PMPI_Testany(n, requests, index, flag, status);
    *flag = f->values[0] >= 0;
    *index = *flag ? f->values[0] : MPI_UNDEFINED;
    return *flag ? PMPI_Wait(&requests[*index], status) : MPI_SUCCESS;
}

/* Completes those requests that the script names, in its order. */
static int complete(const struct forced *f, int n, MPI_Request *requests, int *many, int *indices, MPI_Status *statuses)
{
    int result = MPI_SUCCESS;
    *many = f->values[0];
    for (int i = 0; i < *many && i + 1 < f->n && result == MPI_SUCCESS; i++) {
        int which = f->values[i + 1];
        if (which < 0 || which >= n)
            continue;
        indices[i] = which;
        result = PMPI_Wait(&requests[which], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    }
    return result;
}

int MPI_Waitsome(int n, MPI_Request *requests, int *many, int *indices, MPI_Status *statuses)
{
    NEXT("indices");
    if (!f || f->values[0] < 0 || f->values[0] + 1 > f->n)
        return PMPI_Waitsome(n, requests, many, indices, statuses);
    return complete(f, n, requests, many, indices, statuses);
}

int MPI_Testsome(int n, MPI_Request *requests, int *many, int *indices, MPI_Status *statuses)
{
    NEXT("indices");
    if (!f || f->values[0] < 0 || f->values[0] + 1 > f->n)
        return PMPI_Testsome(n, requests, many, indices, statuses);
    return complete(f, n, requests, many, indices, statuses);
}

/* A collective that waits for all if the script says so: its parameters, the names of these, and its communicator. */
#define COLLECTIVE(function, parameters, names)                 \
    int MPI_##function parameters                               \
    {                                                           \
        NEXT("synchronising");                                  \
        if (f)                                                  \
            PMPI_Barrier(comm);                                 \
        return PMPI_##function names;                           \
    }

#define TYPE MPI_Datatype
#define INS const int *

COLLECTIVE(Bcast, (void *b, int n, TYPE t, int root, MPI_Comm comm), (b, n, t, root, comm))
COLLECTIVE(Reduce, (const void *s, void *r, int n, TYPE t, MPI_Op op, int root, MPI_Comm comm), (s, r, n, t, op, root, comm))
COLLECTIVE(Allreduce, (const void *s, void *r, int n, TYPE t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))
COLLECTIVE(Scan, (const void *s, void *r, int n, TYPE t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))
COLLECTIVE(Exscan, (const void *s, void *r, int n, TYPE t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))
COLLECTIVE(Reduce_scatter, (const void *s, void *r, INS n, TYPE t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))
COLLECTIVE(Reduce_scatter_block, (const void *s, void *r, int n, TYPE t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))
COLLECTIVE(Gather, (const void *s, int n, TYPE t, void *r, int m, TYPE u, int root, MPI_Comm comm), (s, n, t, r, m, u, root, comm))
COLLECTIVE(Gatherv, (const void *s, int n, TYPE t, void *r, INS m, INS d, TYPE u, int root, MPI_Comm comm), (s, n, t, r, m, d, u, root, comm))
COLLECTIVE(Scatter, (const void *s, int n, TYPE t, void *r, int m, TYPE u, int root, MPI_Comm comm), (s, n, t, r, m, u, root, comm))
COLLECTIVE(Scatterv, (const void *s, INS n, INS d, TYPE t, void *r, int m, TYPE u, int root, MPI_Comm comm), (s, n, d, t, r, m, u, root, comm))
COLLECTIVE(Allgather, (const void *s, int n, TYPE t, void *r, int m, TYPE u, MPI_Comm comm), (s, n, t, r, m, u, comm))
COLLECTIVE(Allgatherv, (const void *s, int n, TYPE t, void *r, INS m, INS d, TYPE u, MPI_Comm comm), (s, n, t, r, m, d, u, comm))
COLLECTIVE(Alltoall, (const void *s, int n, TYPE t, void *r, int m, TYPE u, MPI_Comm comm), (s, n, t, r, m, u, comm))
COLLECTIVE(Alltoallv, (const void *s, INS n, INS c, TYPE t, void *r, INS m, INS d, TYPE u, MPI_Comm comm), (s, n, c, t, r, m, d, u, comm))
COLLECTIVE(Alltoallw, (const void *s, INS n, INS c, const TYPE *t, void *r, INS m, INS d, const TYPE *u, MPI_Comm comm),
           (s, n, c, t, r, m, d, u, comm))
