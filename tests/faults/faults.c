/* Mistakes of an MPI library, planted between a program and a real one. Preloaded, it stands in for some of MPI's functions, does what
 * LITMPI_FAULT names, one mistake or several with commas, and has the real ones do the rest; without that it changes nothing. Messages of the harness itself are left
 * alone: those on MPI_COMM_WORLD, on the communicators split from it, and those with the tag of its sentinels.
 *
 * Data is spoiled where it is sent, in a copy; statuses, and memory around buffers, where it is received. */
#include "faults.h"

enum { SENTINEL = 32767, CHUNK = 4096, KEPT = 64, CONTROLS = 64 };

static const char *fault(void)
{
    static const char *name;
    if (!name)
        name = getenv("LITMPI_FAULT") ? getenv("LITMPI_FAULT") : "";
    return name;
}

int is(const char *name)
{
    size_t length = strlen(name);
    for (const char *at = fault(); *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return 1;
    return 0;
}

/* ---- what is the test's ---- */

static MPI_Comm controls[CONTROLS];
static int control_count;

BOTH(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
{
    REAL(Comm_split, MPI_Comm, int, int, MPI_Comm *);
    int me;
    PMPI_Comm_rank(comm, &me);
    int backwards = is("split-backwards") && comm != MPI_COMM_WORLD && key >= 0 && key < 1000;
    int code = real(comm, color, backwards ? 1000 * key - me : key, made);
    if (comm == MPI_COMM_WORLD && control_count < CONTROLS)
        controls[control_count++] = *made;
    return code;
}

int draining;

int of_test(MPI_Comm comm, int tag)
{
    if (comm == MPI_COMM_WORLD || tag == SENTINEL)
        return 0;
    for (int i = 0; i < control_count; i++)
        if (controls[i] == comm)
            return 0;
    return 1;
}

/* ---- spoiling data ---- */

char *keep(size_t bytes)
{
    static char *kept[KEPT];
    static int next;
    free(kept[next]);
    kept[next] = malloc(bytes ? bytes : 1);
    next = (next + 1) % KEPT;
    return kept[(next + KEPT - 1) % KEPT];
}

static void swap_halves(char *data, int n)
{
    char half[CHUNK];
    for (int at = 0; at < n; at += CHUNK) {
        int length = (n - at < CHUNK ? n - at : CHUNK) / 2;
        memcpy(half, data + at, (size_t)length);
        memcpy(data + at, data + at + length, (size_t)length);
        memcpy(data + at + length, half, (size_t)length);
    }
}

/* What was sent before this, if it was as long. */
static void make_stale(char *data, int n)
{
    static char *last;
    static int length;
    char *now = malloc((size_t)n + 1);
    memcpy(now, data, (size_t)n);
    if (length == n)
        memcpy(data, last, (size_t)n);
    free(last);
    last = now;
    length = n;
}

static void spoil_bytes(char *data, int n)
{
    if (is("swap"))
        swap_halves(data, n);
    else if (is("shift"))
        memmove(data, data + 4, (size_t)(n > 4 ? n - 4 : 0));
    else if (is("shift-by-a-byte"))
        memmove(data, data + 1, (size_t)(n - 1));
    else if (is("zero-tail"))
        memset(data + n / 8 * 4, 0, (size_t)(n - n / 8 * 4));
    else if (is("repeat"))
        memcpy(data + n / 8 * 4, data, (size_t)(n / 8 * 4));
    else if (is("stale-data") || is("stale-broadcast"))
        make_stale(data, n);
    else if (is("flip-a-bit"))
        data[n / 2] ^= 0x10;
    else if (is("wrong-element")) {
        int last;
        memcpy(&last, data + n - 4, 4);
        last++;
        memcpy(data + n - 4, &last, 4);
    }
}

/* A copy of a buffer with the data of its items spoiled. */
const void *spoiled(const void *buf, int count, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size, at = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    size *= count;
    if (buf == MPI_IN_PLACE || size < 4 || extent < 0 || true_lb < 0)
        return buf;
    char *data = malloc((size_t)size), *copy = keep((size_t)(extent * (count - 1) + true_lb + true_extent));
    PMPI_Pack(buf, count, type, data, size, &at, comm);
    spoil_bytes(data, size);
    at = 0;
    PMPI_Unpack(data, size, &at, copy, count, type, comm);
    free(data);
    return copy;
}

int spoils_messages(void)
{
    return is("swap") || is("shift") || is("shift-by-a-byte") || is("zero-tail") || is("repeat") || is("stale-data") || is("flip-a-bit");
}

/* ---- sending ---- */

static int lose_this(void)
{
    static long sent;
    return is("lost") && ++sent % 5 == 0;
}

/* A message that is held back until the next one to the same process is on its way, or anything else is done. */
static struct held {
    void *buf;
    int count, dest, tag;
    MPI_Datatype type;
    MPI_Comm comm;
} held;

/* Slow senders, the later ones slower, so that what completes too early has not come yet. */
static void linger(MPI_Comm comm)
{
    int me;
    if (!is("waitall-early"))
        return;
    PMPI_Comm_rank(comm, &me);
    usleep(500 * (unsigned)me);
}

static int send_really(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    REAL(Send, const void *, int, MPI_Datatype, int, int, MPI_Comm);
    return real(buf, count, type, dest, tag, comm);
}

void let_go(void)
{
    struct held h = held;
    if (!h.buf)
        return;
    held.buf = NULL;
    send_really(h.buf, h.count, h.type, h.dest, h.tag, h.comm);
}

/* Whether the message is held back; small ones only, of which libraries hold copies, too. */
static int hold(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    int size;
    PMPI_Type_size(type, &size);
    if (!is("reordered") || held.buf || dest < 0 || size * count > 1024 || type != MPI_INT)
        return 0;
    held = (struct held){keep((size_t)(size * count)), count, dest, tag, type, comm};
    memcpy(held.buf, buf, (size_t)(size * count));
    return 1;
}

#define SEND(name)                                                                                              \
    BOTH(name, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),               \
         (buf, count, type, dest, tag, comm))                                                                   \
    {                                                                                                           \
        REAL(name, const void *, int, MPI_Datatype, int, int, MPI_Comm);                                        \
        if (!of_test(comm, tag) || count == 0)                                                                  \
            return let_go(), real(buf, count, type, dest, tag, comm);                                           \
        linger(comm);                                                                                           \
        if (lose_this() || hold(buf, count, type, dest, tag, comm))                                             \
            return MPI_SUCCESS;                                                                                 \
        if (is("drop-tail"))                                                                                    \
            count = (count + 1) / 2;                                                                            \
        if (is("doubled"))                                                                                      \
            real(buf, count, type, dest, tag, comm);                                                            \
        int code = real(spoils_messages() ? spoiled(buf, count, type, comm) : buf, count, type, dest,           \
                        tag + is("wrong-tag-sent"), comm);                                                      \
        return let_go(), code;                                                                                  \
    }

#define ISEND(name)                                                                                             \
    BOTH(name, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,                \
                MPI_Request *request), (buf, count, type, dest, tag, comm, request))                            \
    {                                                                                                           \
        REAL(name, const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);                         \
        let_go();                                                                                               \
        draining += tag == SENTINEL;                                                                            \
        if (!of_test(comm, tag) || count == 0)                                                                  \
            return real(buf, count, type, dest, tag, comm, request);                                            \
        linger(comm);                                                                                           \
        if (lose_this())                                                                                        \
            return real(NULL, 0, type, MPI_PROC_NULL, tag, comm, request);                                      \
        if (is("drop-tail"))                                                                                    \
            count = (count + 1) / 2;                                                                            \
        return real(spoils_messages() ? spoiled(buf, count, type, comm) : buf, count, type, dest,               \
                    tag + is("wrong-tag-sent"), comm, request);                                                 \
    }

SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)
ISEND(Isend)
ISEND(Issend)
ISEND(Ibsend)
ISEND(Irsend)

/* ---- receiving ---- */

/* Bytes between the first and the last of an item that are not of it. */
static void fill_gaps(char *buf, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Aint lb, extent;
    int size, at = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_true_extent(type, &lb, &extent);
    if (size == extent || size == 0)
        return;
    char *data = malloc((size_t)size), *map = calloc(1, (size_t)(lb + extent));
    memset(data, 0xff, (size_t)size);
    PMPI_Unpack(data, size, &at, map, 1, type, comm);
    for (MPI_Aint i = lb; i < lb + extent; i++)
        if (!map[i])
            buf[i] = (char)0xee;
    free(data);
    free(map);
}

static void write_beside(void *buf, int count, MPI_Datatype type, int tag, MPI_Comm comm)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    if (!of_test(comm, tag) || count == 0 || draining > 0)
        return;
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    char *from = (char *)buf + true_lb, *to = from + (count - 1) * extent + true_extent;
    if (is("write-behind"))
        memset(to, 0xee, 4);
    if (is("write-before"))
        memset(from - 4, 0xee, 4);
    if (is("write-far-behind"))
        to[100] = 1;
    if (is("write-gaps"))
        fill_gaps(buf, type, comm);
}

/* Before a call that fills in a status, and after it. */
static MPI_Status was;

static void before(const MPI_Status *status)
{
    let_go();
    if (status != MPI_STATUS_IGNORE)
        was = *status;
}

static void after(MPI_Status *status, int filled)
{
    int count;
    if (status == MPI_STATUS_IGNORE || !filled || status->MPI_TAG == SENTINEL || status->MPI_SOURCE < 0)
        return;
    if (is("stale-status"))
        *status = was;
    if (is("wrong-source"))
        status->MPI_SOURCE++;
    if (is("wrong-tag"))
        status->MPI_TAG++;
    if (is("wrong-count")) {
        PMPI_Get_count(status, MPI_INT, &count);
        PMPI_Status_set_elements(status, MPI_INT, count + 1);
    }
}

/* Receives of the test that are under way. */
static MPI_Request receives[KEPT];
static int receive_count;

static int forget(MPI_Request request)
{
    for (int i = 0; i < receive_count; i++)
        if (receives[i] == request) {
            receives[i] = receives[--receive_count];
            return 1;
        }
    return 0;
}

int PMPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    REAL(Recv, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    before(status);
    int code = real(buf, count, type, source, tag, comm, status);
    if (of_test(comm, tag))
        after(status, code == MPI_SUCCESS);
    write_beside(buf, count, type, tag, comm);
    return code;
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    REAL(Irecv, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    let_go();
    int code = real(buf, count, type, source, tag, comm, request);
    forget(*request);
    if (of_test(comm, tag) && draining <= 0 && receive_count < KEPT)
        receives[receive_count++] = *request;
    write_beside(buf, count, type, tag, comm);
    return code;
}

int PMPI_Sendrecv(const void *in, int n, MPI_Datatype type, int to, int sent, void *out, int m, MPI_Datatype u, int from, int tag,
                  MPI_Comm comm, MPI_Status *status)
{
    REAL(Sendrecv, const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    before(status);
    if (is("drop-tail"))
        n = (n + 1) / 2;
    int code = real(spoils_messages() && n ? spoiled(in, n, type, comm) : in, n, type, to, sent + is("wrong-tag-sent"), out, m, u, from,
                    tag, comm, status);
    after(status, code == MPI_SUCCESS);
    write_beside(out, m, u, tag, comm);
    return code;
}

/* Completion that comes too early: the receive goes on, and nobody waits for it. */
static int ends_early(const char *name, MPI_Request *request)
{
    if (!is(name) || !forget(*request))
        return 0;
    PMPI_Request_free(request);
    return 1;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    REAL(Wait, MPI_Request *, MPI_Status *);
    before(status);
    if (ends_early("too-early", request))
        return MPI_SUCCESS;
    forget(*request);
    int code = real(request, status);
    after(status, code == MPI_SUCCESS);
    return code;
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    REAL(Test, MPI_Request *, int *, MPI_Status *);
    before(status);
    MPI_Request asked = *request;
    if (ends_early("too-early", request)) {
        *flag = 1;
        return MPI_SUCCESS;
    }
    int code = real(request, flag, status);
    draining -= *flag && status != MPI_STATUS_IGNORE && status->MPI_TAG == SENTINEL;
    if (*flag && forget(asked))
        after(status, code == MPI_SUCCESS);
    return code;
}

/* Completion of all: the last request is not waited for, or the statuses stay as they were. */
static MPI_Status *keep_statuses(int count, const MPI_Status statuses[])
{
    if (!is("waitall-stale") || statuses == MPI_STATUSES_IGNORE || count == 0)
        return NULL;
    MPI_Status *kept = (MPI_Status *)(void *)keep(sizeof *kept * (size_t)count);
    return memcpy(kept, statuses, sizeof *kept * (size_t)count);
}

static int all_forgotten(int count, const MPI_Request requests[])
{
    int of_tests = 0;
    for (int i = 0; i < count; i++)
        of_tests |= forget(requests[i]);
    return of_tests;
}

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    REAL(Waitall, int, MPI_Request[], MPI_Status[]);
    let_go();
    if (count > 0)
        ends_early("waitall-early", &requests[count - 1]);
    MPI_Status *kept = keep_statuses(count, statuses);
    int of_tests = all_forgotten(count, requests);
    int code = real(count, requests, statuses);
    if (kept && of_tests)
        memcpy(statuses, kept, sizeof *kept * (size_t)count);
    return code;
}

int PMPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    REAL(Testall, int, MPI_Request[], int *, MPI_Status[]);
    let_go();
    if (count > 0)
        ends_early("waitall-early", &requests[count - 1]);
    MPI_Status *kept = keep_statuses(count, statuses);
    MPI_Request *asked = (MPI_Request *)(void *)keep(sizeof *asked * (size_t)count);
    memcpy(asked, requests, sizeof *asked * (size_t)count);
    int code = real(count, requests, flag, statuses);
    if (*flag && all_forgotten(count, asked) && kept)
        memcpy(statuses, kept, sizeof *kept * (size_t)count);
    return code;
}

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    REAL(Probe, int, int, MPI_Comm, MPI_Status *);
    before(status);
    int code = real(source, tag, comm, status);
    if (of_test(comm, tag))
        after(status, code == MPI_SUCCESS);
    return code;
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    REAL(Iprobe, int, int, MPI_Comm, int *, MPI_Status *);
    before(status);
    int code = real(source, tag, comm, flag, status);
    if (of_test(comm, tag))
        after(status, code == MPI_SUCCESS && *flag);
    return code;
}

/* ---- collectives ---- */

int is_root(MPI_Comm comm, int root)
{
    int me;
    PMPI_Comm_rank(comm, &me);
    return me == root;
}

static int spoils_broadcasts(void)
{
    return is("stale-broadcast") || spoils_messages();
}

int PMPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    REAL(Bcast, void *, int, MPI_Datatype, int, MPI_Comm);
    let_go();
    int spoils = of_test(comm, 0) && spoils_broadcasts() && is_root(comm, root);
    return real(spoils ? (void *)(size_t)spoiled(buf, count, type, comm) : buf, count, type, root, comm);
}

int PMPI_Ibcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    REAL(Ibcast, void *, int, MPI_Datatype, int, MPI_Comm, MPI_Request *);
    let_go();
    int spoils = of_test(comm, 0) && spoils_broadcasts() && is_root(comm, root);
    return real(spoils ? (void *)(size_t)spoiled(buf, count, type, comm) : buf, count, type, root, comm, request);
}

int PMPI_Barrier(MPI_Comm comm)
{
    REAL(Barrier, MPI_Comm);
    let_go();
    return is("no-barrier") && of_test(comm, 0) ? MPI_SUCCESS : real(comm);
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    REAL(Ibarrier, MPI_Comm, MPI_Request *);
    let_go();
    return real(is("no-barrier") && of_test(comm, 0) ? MPI_COMM_SELF : comm, request);
}

static int spoils_operands(MPI_Comm comm)
{
    return of_test(comm, 0) && (is("wrong-element") || spoils_messages());
}

#define OPERAND (spoils_operands(comm) ? spoiled(in, n, type, comm) : in)
/* No test of the library tells it, generated programs do (`tests/tests/it/campaign.rs`). */
#define OPERATION (is("greatest-place") && op == MPI_MINLOC ? MPI_MAXLOC : op)

int PMPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    REAL(Reduce, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
    return real(OPERAND, out, n, type, OPERATION, root, comm);
}

int PMPI_Ireduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
{
    REAL(Ireduce, const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request *);
    return real(OPERAND, out, n, type, OPERATION, root, comm, request);
}

#define TO_ALL(name)                                                                                                    \
    int PMPI_##name(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)                      \
    {                                                                                                                   \
        REAL(name, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);                                          \
        return real(OPERAND, out, n, type, OPERATION, comm);                                                            \
    }

#define I_TO_ALL(name)                                                                                                  \
    int PMPI_##name(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) \
    {                                                                                                                   \
        REAL(name, const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);                           \
        return real(OPERAND, out, n, type, OPERATION, comm, request);                                                   \
    }

TO_ALL(Allreduce)
TO_ALL(Scan)
TO_ALL(Exscan)
I_TO_ALL(Iallreduce)
I_TO_ALL(Iscan)
I_TO_ALL(Iexscan)
