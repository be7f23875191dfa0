/* What a library calls back: functions of attributes and of error handlers; and errors that a test asks to be told of.
 *
 * On the test's communicators the harness's own error handler stands for MPI_ERRORS_ARE_FATAL: it lets the call return,
 * and the error ends the rank's body (litmpi_ok). Limit: an attribute whose key the test has freed stays on the test's
 * world when the iteration ends. */
#define _XOPEN_SOURCE 700
#include "harness.h"

static int noted;
int litmpi_tolerant, litmpi_error, litmpi_erred;

static void note(int digit)
{
    noted = 10 * noted + digit % 10;
}

int litmpi_called(void)
{
    return noted;
}

/* ---- attributes ---- */

static int copy(void *from, void *to, int *flag, int more)
{
    int value = (int)(intptr_t)from;
    note(value);
    *flag = 1;
    *(void **)to = (void *)(intptr_t)(value + more);
    return MPI_SUCCESS;
}

#define COPIER(name) int name(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
#define DELETER(name) int name(MPI_Comm comm, int key, void *value, void *extra)
#define UNUSED (void)comm, (void)key, (void)extra

COPIER(LITMPI_COPY_NOTED)
{
    UNUSED;
    return copy(from, to, flag, 0);
}

COPIER(LITMPI_COPY_NEXT)
{
    UNUSED;
    return copy(from, to, flag, 1);
}

COPIER(LITMPI_COPY_NOT)
{
    UNUSED;
    int code = copy(from, to, flag, 0);
    *flag = 0;
    return code;
}

COPIER(LITMPI_COPY_FAILS)
{
    UNUSED, (void)from, (void)to;
    *flag = 0;
    return MPI_ERR_OTHER;
}

DELETER(LITMPI_DELETE_NOTED)
{
    UNUSED;
    note((int)(intptr_t)value);
    return MPI_SUCCESS;
}

DELETER(LITMPI_DELETE_FAILS)
{
    UNUSED, (void)value;
    return MPI_ERR_OTHER;
}

int LITMPI_Comm_set_attr(MPI_Comm comm, int key, int value)
{
    return MPI_Comm_set_attr(comm, key, (void *)(intptr_t)value);
}

int LITMPI_Comm_get_attr(MPI_Comm comm, int key, int *value, int *flag)
{
    void *held;
    int code = MPI_Comm_get_attr(comm, key, &held, flag);
    if (code == MPI_SUCCESS && *flag)
        *value = (int)(intptr_t)held;
    return code;
}

void litmpi_leave_key(int *key)
{
    const MPI_Comm lasting[] = {litmpi_comm, MPI_COMM_SELF};
    if (*key == MPI_KEYVAL_INVALID)
        return;
    for (int i = 0; i < 2; i++) {
        void *held;
        int flag = 0;
        if (PMPI_Comm_get_attr(lasting[i], *key, &held, &flag) == MPI_SUCCESS && flag)
            PMPI_Comm_delete_attr(lasting[i], *key);
    }
    PMPI_Comm_free_keyval(key);
}

/* ---- errors ---- */

void litmpi_stay(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

void LITMPI_ON_ERROR(MPI_Comm *comm, int *code, ...)
{
    int class;
    (void)comm;
    PMPI_Error_class(*code, &class);
    note(litmpi_class(class));
}

void litmpi_callbacks_begin(void)
{
    noted = litmpi_error = litmpi_erred = 0;
    if (litmpi_tolerant) {
        PMPI_Comm_set_errhandler(litmpi_comm, litmpi_errors);
        PMPI_Comm_set_errhandler(MPI_COMM_SELF, litmpi_errors);
    }
    litmpi_tolerant = 0;
}

int LITMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    litmpi_tolerant = 1;
    return MPI_Comm_set_errhandler(comm, handler == MPI_ERRORS_ARE_FATAL ? litmpi_errors : handler);
}

int LITMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    return MPI_Comm_get_errhandler(comm, handler);
}

int litmpi_handler(MPI_Errhandler handler)
{
    if (handler == MPI_ERRHANDLER_NULL)
        return 0;
#ifdef MPI_ERRORS_ABORT /* from MPI 4.0 on */
    if (handler == MPI_ERRORS_ABORT)
        return 3;
#endif
    return handler == litmpi_errors || handler == MPI_ERRORS_ARE_FATAL ? 1 : handler == MPI_ERRORS_RETURN ? 2 : 16;
}

void litmpi_leave_handler(MPI_Errhandler *handler)
{
    if (litmpi_handler(*handler) == 16)
        PMPI_Errhandler_free(handler);
}

int litmpi_class(int class)
{
    const int classes[] = {MPI_SUCCESS,      MPI_ERR_BUFFER, MPI_ERR_COUNT,    MPI_ERR_TYPE,    MPI_ERR_TAG,   MPI_ERR_COMM,
                           MPI_ERR_RANK,     MPI_ERR_REQUEST, MPI_ERR_ROOT,    MPI_ERR_GROUP,   MPI_ERR_OP,    MPI_ERR_TOPOLOGY,
                           MPI_ERR_DIMS,     MPI_ERR_ARG,    MPI_ERR_UNKNOWN,  MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_IN_STATUS};
    for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++)
        if (classes[i] == class)
            return i;
    return -1;
}

int litmpi_last_error(void)
{
    int class = litmpi_error;
    litmpi_error = MPI_SUCCESS;
    return class;
}

/* ---- generalised requests ---- */

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

int LITMPI_Grequest_start(MPI_Request *request)
{
    int code = MPI_Grequest_start(query, release, cancel, NULL, request);
    if (code == MPI_SUCCESS)
        litmpi_track(*request, LITMPI_GENERALISED);
    return code;
}
