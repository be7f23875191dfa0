/* Objects that a test makes, and calls whose arguments are counted in locations. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <stdlib.h>

int litmpi_unit(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    if (type == MPI_INT)
        return litmpi_block;
    if (type == MPI_PACKED)
        return litmpi_block * (int)sizeof(int);
    if (type == MPI_DATATYPE_NULL ||
        PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
        return 1;
    return combiner == MPI_COMBINER_NAMED ? litmpi_block : 1;
}

/* Items of a predefined type to locations; MPI_UNDEFINED if a location is not whole. */
static int in_locations(int code, MPI_Datatype type, int *count)
{
    int unit = litmpi_unit(type);
    if (code == MPI_SUCCESS && *count != MPI_UNDEFINED)
        *count = *count % unit ? MPI_UNDEFINED : *count / unit;
    return code;
}

int LITMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    return in_locations(PMPI_Get_count(status, type, count), type, count);
}

int LITMPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count)
{
    /* Basic elements of any type are ints, but for those that MPI_PACKED has. */
    return in_locations(PMPI_Get_elements(status, type, count), type == MPI_PACKED ? type : MPI_INT, count);
}

int LITMPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count)
{
    return PMPI_Status_set_elements(status, type, count * litmpi_unit(type == MPI_PACKED ? type : MPI_INT));
}

void litmpi_leave_type(MPI_Datatype *type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (*type != MPI_DATATYPE_NULL)
        PMPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(type);
}

void litmpi_leave_group(MPI_Group *group)
{
    if (*group != MPI_GROUP_NULL && *group != MPI_GROUP_EMPTY)
        PMPI_Group_free(group);
}

void litmpi_leave_op(MPI_Op *op)
{
    if (*op != MPI_OP_NULL)
        PMPI_Op_free(op);
}

/* A communicator may have messages under way: it is freed when the iteration is over everywhere, and without what nobody has
 * received. */
static MPI_Comm left[64];
static int lefts, finalized;

void litmpi_leave_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL && lefts < 64)
        left[lefts++] = *comm;
}

void litmpi_free_comms(int broken)
{
    finalized = 0;
    while (lefts > 0) {
        lefts--;
        if (broken)
            continue;
        MPI_Message message = MPI_MESSAGE_NULL;
        for (int flag = 1; flag;)
            if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, left[lefts], &flag, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag)
                litmpi_discard(&message);
            else
                flag = 0;
        PMPI_Comm_free(&left[lefts]);
    }
}

int litmpi_comparison(int result)
{
    return result == MPI_IDENT ? 0 : result == MPI_CONGRUENT ? 1 : result == MPI_SIMILAR ? 2 : 3;
}

int litmpi_topology(int kind)
{
    return kind == MPI_GRAPH ? 1 : kind == MPI_CART ? 2 : kind == MPI_DIST_GRAPH ? 3 : -1;
}

int litmpi_elements(MPI_Aint bytes)
{
    return (int)(bytes / LITMPI_BYTES);
}

int litmpi_translated(int rank)
{
    return rank == MPI_UNDEFINED ? -1 : litmpi_neighbour(rank);
}

int litmpi_neighbour(int rank)
{
    return rank == MPI_PROC_NULL ? -2 : rank;
}

/* ---- the end ---- */

int LITMPI_Finalize(void)
{
    int code = MPI_Barrier(litmpi_comm);
    finalized = code == MPI_SUCCESS;
    return code;
}

int LITMPI_Finalized(int *flag)
{
    *flag = finalized;
    return MPI_SUCCESS;
}

/* Made once for each type and size of locations. */
MPI_Datatype litmpi_oldtype(MPI_Datatype type)
{
    static struct {
        MPI_Datatype of, made;
        int block;
    } known[64];
    static int count;
    if (litmpi_unit(type) == 1)
        return type;
    for (int i = 0; i < count; i++)
        if (known[i].of == type && known[i].block == litmpi_block)
            return known[i].made;
    MPI_Datatype made;
    PMPI_Type_contiguous(litmpi_unit(type), type, &made);
    PMPI_Type_commit(&made);
    if (count < 64) {
        known[count].of = type;
        known[count].made = made;
        known[count++].block = litmpi_block;
    }
    return made;
}

/* ---- buffers for MPI_Bsend ---- */

enum { GUARD = 64 }; /* bytes before and behind */
static char *own, *attached; /* the harness's, and the one that is attached now: they begin with a guard */
static size_t own_bytes, attached_bytes;

static char *guarded(size_t bytes)
{
    char *made = malloc(bytes + 2 * GUARD);
    if (made) {
        litmpi_guard_fill(made, GUARD);
        litmpi_guard_fill(made + GUARD + bytes, GUARD);
    }
    return made;
}

void litmpi_buffer_check(void)
{
    int first, last;
    for (int behind = 0; attached && behind < 2; behind++) {
        char *guard = behind ? attached + GUARD + attached_bytes : attached;
        if (litmpi_guard_check(guard, GUARD, &first, &last))
            continue;
        litmpi_corrupt(&(struct litmpi_corruption){.kind = LITMPI_LENT,
                                                   .block = behind,
                                                   .first = behind ? first : GUARD - 1 - last,
                                                   .last = behind ? last : GUARD - 1 - first});
        litmpi_guard_fill(guard, GUARD);
    }
}

static int change(char *buffer, size_t bytes)
{
    void *old;
    int size, code = MPI_SUCCESS;
    if (attached) {
        code = PMPI_Buffer_detach(&old, &size);
        litmpi_buffer_check();
        if (attached != own)
            free(attached);
    }
    attached = buffer;
    attached_bytes = bytes;
    if (code == MPI_SUCCESS && buffer)
        code = PMPI_Buffer_attach(buffer + GUARD, (int)bytes);
    return code;
}

void litmpi_buffer_begin(size_t bytes)
{
    own = guarded(bytes);
    own_bytes = bytes;
    change(own, bytes);
}

static void (*litmpi_buffer_return)(void);

void litmpi_buffer_lend(void (*back)(void))
{
    litmpi_buffer_return = back;
    change(NULL, 0);
}

void litmpi_buffer_restore(void)
{
    if (litmpi_buffer_return)
        litmpi_buffer_return();
    litmpi_buffer_return = NULL;
    if (attached != own)
        change(own, own_bytes);
}

int LITMPI_Buffer_attach(int size, int messages)
{
    size_t bytes = sizeof(int) * (size_t)size * (size_t)litmpi_block + (size_t)messages * MPI_BSEND_OVERHEAD;
    return change(guarded(bytes), bytes);
}

int LITMPI_Buffer_detach(void)
{
    return change(NULL, 0);
}
