/* Windows of tests: errors in them are returned, as on communicators; memory that the library brings takes the place of a
 * variable's blocks, with a guard behind it that the test knows nothing of. A window that a body leaves behind, in an epoch perhaps, cannot be freed: it is given up with the
 * memory that it exposes. */
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <string.h>

/* Windows with memory of the library's. */
static struct allocated {
    MPI_Win win;
    MPI_Comm comm; /* of the same processes, for barriers that the test does not see */
    int *base, *block;
    size_t bytes;
    int left; /* by the body, which has ended */
} known[16];
static int count;

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    int code = PMPI_Win_create(base, size, unit, info, comm, win);
    return code == MPI_SUCCESS ? PMPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN) : code;
}

/* Bytes: a multiple of 16, so that windows that lie one behind the other are aligned as they would be without guards. */
enum { GUARD = 64 };

/* Copies what the memory holds to where the variable was, and looks at the guard behind it. */
static void bring_back(const struct allocated *a)
{
    int first, last;
    memcpy(a->block, a->base, a->bytes);
    if (!litmpi_guard_check((char *)a->base + a->bytes, GUARD, &first, &last))
        litmpi_corrupt(&(struct litmpi_corruption){
            .kind = LITMPI_BEHIND, .block = litmpi_block_of(a->block), .first = first, .last = last});
}

/* Everybody waits until the memory has its contents. */
int LITMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, int **base, MPI_Win *win)
{
    struct allocated *a = &known[count];
    int code = count < 16 ? PMPI_Win_allocate(size + GUARD, unit, info, comm, &a->base, win) : MPI_ERR_OTHER;
    if (code != MPI_SUCCESS)
        return code;
    count++;
    a->win = *win;
    a->block = *base;
    a->bytes = (size_t)size;
    a->left = 0;
    memcpy(a->base, a->block, a->bytes);
    litmpi_guard_fill((char *)a->base + a->bytes, GUARD);
    *base = a->base;
    PMPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    PMPI_Comm_dup(comm, &a->comm);
    return MPI_Barrier(a->comm);
}

/* What the memory ends with is seen where the variable was: when nobody accesses it any more. */
int MPI_Win_free(MPI_Win *win)
{
    for (int i = 0; i < count; i++)
        if (known[i].win == *win) {
            struct allocated a = known[i];
            int code = MPI_Barrier(a.comm);
            if (code != MPI_SUCCESS)
                return code;
            bring_back(&a);
            known[i] = known[--count];
            PMPI_Comm_free(&a.comm);
            break;
        }
    return PMPI_Win_free(win);
}

void litmpi_leave_win(MPI_Win *win)
{
    if (*win == MPI_WIN_NULL)
        return;
    for (int i = 0; i < count; i++)
        known[i].left |= known[i].win == *win;
    litmpi_break();
}

void litmpi_windows_settle(void)
{
    for (int i = 0; i < count; i++)
        if (known[i].left) {
            bring_back(&known[i]);
            known[i--] = known[--count];
        }
}

static int is_guarded(MPI_Win win)
{
    for (int i = 0; i < count; i++)
        if (known[i].win == win)
            return 1;
    return 0;
}

int LITMPI_Win_get_attr(MPI_Win win, int key, int *value, int *flag)
{
    void *found = NULL;
    int code = PMPI_Win_get_attr(win, key, &found, flag);
    if (code != MPI_SUCCESS || !*flag)
        return code;
    if (key == MPI_WIN_SIZE)
        *value = litmpi_elements(*(MPI_Aint *)found - (is_guarded(win) ? GUARD : 0));
    else if (key == MPI_WIN_DISP_UNIT)
        *value = litmpi_elements(*(int *)found);
    else if (key == MPI_WIN_CREATE_FLAVOR)
        *value = *(int *)found == MPI_WIN_FLAVOR_ALLOCATE ? 2 : *(int *)found == MPI_WIN_FLAVOR_CREATE ? 1 : -1;
    else
        *value = *(int *)found == MPI_WIN_UNIFIED ? 2 : 1;
    return code;
}

/* One key with its value, made once. */
MPI_Info litmpi_info(const char *key, const char *value)
{
    static struct {
        const char *key, *value;
        MPI_Info info;
    } made[16];
    static int infos;
    for (int i = 0; i < infos; i++)
        if (!strcmp(made[i].key, key) && !strcmp(made[i].value, value))
            return made[i].info;
    if (infos == 16)
        return MPI_INFO_NULL;
    made[infos].key = key;
    made[infos].value = value;
    PMPI_Info_create(&made[infos].info);
    PMPI_Info_set(made[infos].info, key, value);
    return made[infos++].info;
}
