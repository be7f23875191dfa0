/* Collectives in the relaxed style (relaxed.c), and a note of those that are nonblocking or persistent: nothing can cancel them, and one that was
 * not started is not waited for. A library may be without persistent ones: then no test calls them. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#define RELAXED (litmpi_entry.relaxed && litmpi_in_body)
#define LIST(...) __VA_ARGS__

/* All ranks call the collectives of a communicator in one order. A rank may have returned from one that another never calls, as the
 * root of a broadcast does: the communicator is then of no more use. */
#define COLLECTIVE(blocking, nonblocking, parameters, arguments)                    \
    int MPI_##blocking(parameters)                                                  \
    {                                                                               \
        MPI_Request request = MPI_REQUEST_NULL;                                     \
        litmpi_enter(comm);                                                         \
        if (!RELAXED)                                                               \
            return PMPI_##blocking(arguments);                                      \
        int code = PMPI_##nonblocking(arguments, &request);                         \
        if (code != MPI_SUCCESS)                                                    \
            return code;                                                            \
        return litmpi_poll(&request, MPI_STATUS_IGNORE, LITMPI_COLLECTIVE);         \
    }                                                                               \
    int MPI_##nonblocking(parameters, MPI_Request *request)                         \
    {                                                                               \
        litmpi_enter(comm);                                                         \
        int code = PMPI_##nonblocking(arguments, request);                          \
        if (code == MPI_SUCCESS)                                                    \
            litmpi_track(*request, LITMPI_COLLECTIVE);                              \
        return code;                                                                \
    }                                                                               \
    __attribute__((weak)) int PMPI_##blocking##_init(parameters, MPI_Info info, MPI_Request *request); \
    int MPI_##blocking##_init(parameters, MPI_Info info, MPI_Request *request)      \
    {                                                                               \
        litmpi_enter(comm);                                                         \
        int code = PMPI_##blocking##_init(arguments, info, request);                \
        if (code == MPI_SUCCESS)                                                    \
            litmpi_track(*request, (enum litmpi_request_kind)(LITMPI_PERSISTENT | LITMPI_COLLECTIVE)); \
        return code;                                                                \
    }

COLLECTIVE(Barrier, Ibarrier, LIST(MPI_Comm comm), LIST(comm))
COLLECTIVE(Bcast, Ibcast, LIST(void *buf, int n, MPI_Datatype t, int root, MPI_Comm comm), LIST(buf, n, t, root, comm))

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    litmpi_enter(comm);
    int code = PMPI_Comm_idup(comm, made, request);
    if (code == MPI_SUCCESS)
        litmpi_track(*request, LITMPI_COLLECTIVE);
    return code;
}

#define SEND_N const void *in, int n, MPI_Datatype t
#define SEND_V const void *in, const int ns[], const int ds[], MPI_Datatype t
#define RECV_N void *out, int m, MPI_Datatype u
#define RECV_V void *out, const int ms[], const int es[], MPI_Datatype u

COLLECTIVE(Gather, Igather, LIST(SEND_N, RECV_N, int root, MPI_Comm comm), LIST(in, n, t, out, m, u, root, comm))
COLLECTIVE(Gatherv, Igatherv, LIST(SEND_N, RECV_V, int root, MPI_Comm comm), LIST(in, n, t, out, ms, es, u, root, comm))
COLLECTIVE(Scatter, Iscatter, LIST(SEND_N, RECV_N, int root, MPI_Comm comm), LIST(in, n, t, out, m, u, root, comm))
COLLECTIVE(Scatterv, Iscatterv, LIST(SEND_V, RECV_N, int root, MPI_Comm comm), LIST(in, ns, ds, t, out, m, u, root, comm))
COLLECTIVE(Allgather, Iallgather, LIST(SEND_N, RECV_N, MPI_Comm comm), LIST(in, n, t, out, m, u, comm))
COLLECTIVE(Allgatherv, Iallgatherv, LIST(SEND_N, RECV_V, MPI_Comm comm), LIST(in, n, t, out, ms, es, u, comm))
COLLECTIVE(Alltoall, Ialltoall, LIST(SEND_N, RECV_N, MPI_Comm comm), LIST(in, n, t, out, m, u, comm))
COLLECTIVE(Alltoallv, Ialltoallv, LIST(SEND_V, RECV_V, MPI_Comm comm), LIST(in, ns, ds, t, out, ms, es, u, comm))

#define SEND_W const void *in, const int ns[], const int ds[], const MPI_Datatype ts[]
#define RECV_W void *out, const int ms[], const int es[], const MPI_Datatype us[]

COLLECTIVE(Alltoallw, Ialltoallw, LIST(SEND_W, RECV_W, MPI_Comm comm), LIST(in, ns, ds, ts, out, ms, es, us, comm))

#define OPERANDS const void *in, void *out, int n, MPI_Datatype t, MPI_Op op

COLLECTIVE(Reduce, Ireduce, LIST(OPERANDS, int root, MPI_Comm comm), LIST(in, out, n, t, op, root, comm))
COLLECTIVE(Allreduce, Iallreduce, LIST(OPERANDS, MPI_Comm comm), LIST(in, out, n, t, op, comm))
COLLECTIVE(Scan, Iscan, LIST(OPERANDS, MPI_Comm comm), LIST(in, out, n, t, op, comm))
COLLECTIVE(Exscan, Iexscan, LIST(OPERANDS, MPI_Comm comm), LIST(in, out, n, t, op, comm))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, LIST(OPERANDS, MPI_Comm comm), LIST(in, out, n, t, op, comm))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           LIST(const void *in, void *out, const int ns[], MPI_Datatype t, MPI_Op op, MPI_Comm comm),
           LIST(in, out, ns, t, op, comm))
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, LIST(SEND_N, RECV_N, MPI_Comm comm), LIST(in, n, t, out, m, u, comm))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, LIST(SEND_N, RECV_N, MPI_Comm comm), LIST(in, n, t, out, m, u, comm))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, LIST(SEND_N, RECV_V, MPI_Comm comm), LIST(in, n, t, out, ms, es, u, comm))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, LIST(SEND_V, RECV_V, MPI_Comm comm),
           LIST(in, ns, ds, t, out, ms, es, u, comm))
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           LIST(const void *in, const int ns[], const MPI_Aint ds[], const MPI_Datatype ts[], void *out, const int ms[],
                const MPI_Aint es[], const MPI_Datatype us[], MPI_Comm comm),
           LIST(in, ns, ds, ts, out, ms, es, us, comm))
