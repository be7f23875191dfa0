/* Mistakes in which part of the data of a collective or of a window is wrong: see faults.c. */
#include "faults.h"

/* ---- collectives of a block for each process ---- */

/* How many elements each block has, and where it lies. Two blocks change places, or the last one is empty. */
struct blocks {
    int size, *counts, *places;
    int is_last; /* this process's block is the last one */
};

static int spoils_blocks(MPI_Comm comm, const void *in)
{
    int inter;
    if (!of_test(comm, 0) || in == MPI_IN_PLACE || !(is("blocks-swapped") || is("block-missing")))
        return 0;
    PMPI_Comm_test_inter(comm, &inter);
    return !inter;
}

static struct blocks blocks(int n, const int *counts, const int *places, MPI_Comm comm)
{
    struct blocks b;
    int me;
    PMPI_Comm_size(comm, &b.size);
    PMPI_Comm_rank(comm, &me);
    b.is_last = me == b.size - 1;
    b.counts = (int *)(void *)keep(sizeof(int) * (size_t)b.size);
    b.places = (int *)(void *)keep(sizeof(int) * (size_t)b.size);
    for (int i = 0; i < b.size; i++) {
        b.counts[i] = counts ? counts[i] : n;
        b.places[i] = places ? places[i] : i * n;
    }
    if (is("block-missing"))
        b.counts[b.size - 1] = 0;
    if (is("blocks-swapped") && b.size > 1) {
        int first = b.places[0];
        b.places[0] = b.places[1];
        b.places[1] = first;
    }
    return b;
}

/* The number of elements of this process's own block. */
static int own(const struct blocks *b, int n)
{
    return is("block-missing") && b->is_last ? 0 : n;
}

/* Writes behind what a collective receives: so many elements. */
static void write_past(void *out, int elements, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Aint lb, extent;
    if (!is("write-past-blocks") || !of_test(comm, 0) || out == MPI_IN_PLACE || draining > 0)
        return;
    PMPI_Type_get_extent(type, &lb, &extent);
    memset((char *)out + elements * extent, 0xee, 4);
}

static int size_of(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

#define NEXT(name, ...)                                             \
    static int (*next)(__VA_ARGS__);                                \
    if (!next)                                                      \
        *(void **)&next = dlsym(RTLD_NEXT, "PMPI_" #name)

#define LIST(...) __VA_ARGS__
#define NO_REQUEST
#define A_REQUEST , MPI_Request *request
#define THE_REQUEST , request

#define SENT const void *in, int n, MPI_Datatype t
#define RECEIVED void *out, int m, MPI_Datatype u
#define SENT_V const void *in, const int *ns, const int *ds, MPI_Datatype t
#define RECEIVED_V void *out, const int *ms, const int *es, MPI_Datatype u

/* A collective: itself, or with spoiled blocks as the function that takes a place for each; then `behind`. */
#define BLOCKWISE(name, parameters, arguments, vector, v_parameters, v_arguments, n_, counts, places, behind)      \
    int PMPI_##name(parameters)                                                                                    \
    {                                                                                                              \
        REAL(name, parameters);                                                                                    \
        NEXT(vector, v_parameters);                                                                                \
        let_go();                                                                                                  \
        int code;                                                                                                  \
        if (spoils_blocks(comm, in)) {                                                                             \
            struct blocks b = blocks(n_, counts, places, comm);                                                    \
            code = next(v_arguments);                                                                              \
        } else                                                                                                     \
            code = real(arguments);                                                                                \
        behind;                                                                                                    \
        return code;                                                                                               \
    }

#define GATHER(name, vector, more, rest)                                                                           \
    BLOCKWISE(name, LIST(SENT, RECEIVED, int root, MPI_Comm comm more), LIST(in, n, t, out, m, u, root, comm rest), vector,  \
              LIST(SENT, RECEIVED_V, int root, MPI_Comm comm more),                                                \
              LIST(in, own(&b, n), t, out, b.counts, b.places, u, root, comm rest), m, NULL, NULL,                 \
              if (is_root(comm, root)) write_past(out, m * size_of(comm), u, comm))

#define GATHERV(name, more, rest)                                                                                  \
    BLOCKWISE(name, LIST(SENT, RECEIVED_V, int root, MPI_Comm comm more), LIST(in, n, t, out, ms, es, u, root, comm rest), name, \
              LIST(SENT, RECEIVED_V, int root, MPI_Comm comm more),                                                \
              LIST(in, own(&b, n), t, out, b.counts, b.places, u, root, comm rest), 0,                             \
              is_root(comm, root) ? ms : NULL, is_root(comm, root) ? es : NULL,                                    \
              if (is_root(comm, root)) write_past(out, end_of(ms, es, comm), u, comm))

#define SCATTER(name, vector, more, rest)                                                                          \
    BLOCKWISE(name, LIST(SENT, RECEIVED, int root, MPI_Comm comm more), LIST(in, n, t, out, m, u, root, comm rest), vector,  \
              LIST(SENT_V, RECEIVED, int root, MPI_Comm comm more),                                                \
              LIST(in, b.counts, b.places, t, out, own(&b, m), u, root, comm rest), n, NULL, NULL,                 \
              write_past(out, m, u, comm))

#define ALLGATHER(name, vector, more, rest)                                                                        \
    BLOCKWISE(name, LIST(SENT, RECEIVED, MPI_Comm comm more), LIST(in, n, t, out, m, u, comm rest), vector,        \
              LIST(SENT, RECEIVED_V, MPI_Comm comm more),                                                          \
              LIST(in, own(&b, n), t, out, b.counts, b.places, u, comm rest), m, NULL, NULL,                       \
              write_past(out, m * size_of(comm), u, comm))

#define ALLTOALL(name, vector, more, rest)                                                                         \
    BLOCKWISE(name, LIST(SENT, RECEIVED, MPI_Comm comm more), LIST(in, n, t, out, m, u, comm rest), vector,        \
              LIST(SENT_V, RECEIVED_V, MPI_Comm comm more),                                                        \
              LIST(in, evenly(own(&b, n), comm), evenly(-n, comm), t, out, b.counts, b.places, u, comm rest), m, NULL, NULL, \
              write_past(out, m * size_of(comm), u, comm))

/* The end of the last block. */
static int end_of(const int *counts, const int *places, MPI_Comm comm)
{
    int end = 0;
    for (int i = 0; i < size_of(comm); i++)
        end = places[i] + counts[i] > end ? places[i] + counts[i] : end;
    return end;
}

/* So many elements for each process; where they begin, if the number is negative. */
static int *evenly(int n, MPI_Comm comm)
{
    int *all = (int *)(void *)keep(sizeof(int) * (size_t)size_of(comm));
    for (int i = 0; i < size_of(comm); i++)
        all[i] = n < 0 ? i * -n : n;
    return all;
}

GATHER(Gather, Gatherv, NO_REQUEST, NO_REQUEST)
GATHER(Igather, Igatherv, A_REQUEST, THE_REQUEST)
GATHERV(Gatherv, NO_REQUEST, NO_REQUEST)
GATHERV(Igatherv, A_REQUEST, THE_REQUEST)
SCATTER(Scatter, Scatterv, NO_REQUEST, NO_REQUEST)
SCATTER(Iscatter, Iscatterv, A_REQUEST, THE_REQUEST)
ALLGATHER(Allgather, Allgatherv, NO_REQUEST, NO_REQUEST)
ALLGATHER(Iallgather, Iallgatherv, A_REQUEST, THE_REQUEST)
ALLTOALL(Alltoall, Alltoallv, NO_REQUEST, NO_REQUEST)
ALLTOALL(Ialltoall, Ialltoallv, A_REQUEST, THE_REQUEST)

/* ---- windows ---- */

/* The bytes of items without gaps, in whole ints, and two of them at least; else 0. */
static int plain_bytes(int n, MPI_Datatype type)
{
    MPI_Aint lb, extent;
    int size;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &lb, &extent);
    return lb == 0 && extent == size && size % 4 == 0 && n * size >= 8 ? n * size : 0;
}

/* Ints at the target: `n` from byte `at` on, then `m` from byte `then` on. */
static MPI_Datatype two_parts(int n, MPI_Aint at, int m, MPI_Aint then)
{
    int lengths[2] = {n, m};
    MPI_Aint places[2] = {at, then};
    MPI_Datatype made;
    PMPI_Type_create_hindexed(m ? 2 : 1, lengths, places, MPI_INT, &made);
    PMPI_Type_commit(&made);
    return made;
}

/* Whether the library has brought the window's memory: there is room behind what the test asked for, which is the harness's. */
static int is_allocated(MPI_Win win)
{
    int *flavor, found;
    PMPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found);
    return found && *flavor == MPI_WIN_FLAVOR_ALLOCATE;
}

BOTH(Put, (const void *buf, int n, MPI_Datatype type, int to, MPI_Aint at, int m, MPI_Datatype u, MPI_Win win),
     (buf, n, type, to, at, m, u, win))
{
    REAL(Put, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
    int bytes = plain_bytes(n, type);
    if (is("put-too-long") && to >= 0 && bytes && bytes == plain_bytes(m, u) && is_allocated(win)) {
        char *longer = keep((size_t)bytes + 4);
        memcpy(longer, buf, (size_t)bytes);
        memset(longer + bytes, 0xee, 4);
        return real(longer, bytes / 4 + 1, MPI_INT, to, at, bytes / 4 + 1, MPI_INT, win);
    }
    if (is("put-in-halves") && to >= 0 && bytes && bytes == plain_bytes(m, u)) {
        int half = bytes / 8, rest = bytes / 4 - half;
        MPI_Datatype second = two_parts(rest, 4 * half, 0, 0);
        int code = real(buf, half, MPI_INT, to, at, half, MPI_INT, win);
        PMPI_Win_flush(to, win);
        usleep(3000);
        if (code == MPI_SUCCESS)
            code = real((const char *)buf + 4 * half, rest, MPI_INT, to, at, 1, second, win);
        PMPI_Type_free(&second);
        return code;
    }
    return real(spoils_messages() && to >= 0 ? spoiled(buf, n, type, MPI_COMM_SELF) : buf, n, type, to, at, m, u, win);
}

/* What is got is spoiled by asking for something else. */
BOTH(Get, (void *buf, int n, MPI_Datatype type, int to, MPI_Aint at, int m, MPI_Datatype u, MPI_Win win),
     (buf, n, type, to, at, m, u, win))
{
    REAL(Get, void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
    int ints = plain_bytes(n, type) / 4;
    if (to < 0 || ints == 0 || 4 * ints != plain_bytes(m, u) || !(is("get-swap") || is("get-shift") || is("get-short")))
        return real(buf, n, type, to, at, m, u, win);
    if (is("get-short"))
        return real(buf, ints / 2, MPI_INT, to, at, ints / 2, MPI_INT, win);
    int half = ints / 2;
    MPI_Datatype other = is("get-swap") ? two_parts(ints - half, 4 * half, half, 0) : two_parts(ints - 1, 4, 1, 4 * (ints - 1));
    int code = real(buf, ints, MPI_INT, to, at, 1, other, win);
    PMPI_Type_free(&other);
    return code;
}

/* Accumulates of sums on single ints, as a get, an addition and a put. */
static int add(const int *in, int *found, int to, MPI_Aint at, MPI_Win win)
{
    static int (*get)(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
    static int (*put)(const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win);
    *(void **)&get = dlsym(RTLD_NEXT, "PMPI_Get");
    *(void **)&put = dlsym(RTLD_NEXT, "PMPI_Put");
    int old, *new = (int *)(void *)keep(sizeof *new);
    get(&old, 1, MPI_INT, to, at, 1, MPI_INT, win);
    PMPI_Win_flush(to, win);
    /* Long enough for the others to come between: on busy processors each of them may have to wait for its turn several times. A library
     * that serves them only while it is called is called, and not with MPI_COMM_SELF, where MPICH knows the answer without looking. */
    for (int turn = 0, any; turn < 300; turn++) {
        PMPI_Iprobe(MPI_ANY_SOURCE, 31000, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
        usleep(100);
    }
    *new = old + *in;
    if (found)
        *found = old;
    put(new, 1, MPI_INT, to, at, 1, MPI_INT, win);
    return PMPI_Win_flush(to, win);
}

BOTH(Fetch_and_op, (const void *in, void *out, MPI_Datatype type, int to, MPI_Aint at, MPI_Op op, MPI_Win win),
     (in, out, type, to, at, op, win))
{
    REAL(Fetch_and_op, const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win);
    if (is("torn-accumulate") && op == MPI_SUM && type == MPI_INT && to >= 0)
        return add(in, out, to, at, win);
    return real(in, out, type, to, at, op, win);
}

BOTH(Compare_and_swap, (const void *in, const void *compare, void *out, MPI_Datatype type, int to, MPI_Aint at, MPI_Win win),
     (in, compare, out, type, to, at, win))
{
    REAL(Compare_and_swap, const void *, const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Win);
    if (!is("blind-swap") || to < 0)
        return real(in, compare, out, type, to, at, win);
    static int (*swap)(const void *, void *, MPI_Datatype, int, MPI_Aint, MPI_Op, MPI_Win);
    *(void **)&swap = dlsym(RTLD_NEXT, "PMPI_Fetch_and_op");
    return swap(in, out, type, to, at, MPI_REPLACE, win);
}

BOTH(Accumulate,
     (const void *in, int n, MPI_Datatype type, int to, MPI_Aint at, int m, MPI_Datatype u, MPI_Op op, MPI_Win win),
     (in, n, type, to, at, m, u, op, win))
{
    REAL(Accumulate, const void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win);
    return real(in, n, type, to, at, m, u, is("replace-adds") && op == MPI_REPLACE ? MPI_SUM : op, win);
}
