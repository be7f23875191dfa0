/*** always ***/
/* Ends the program. A launcher may lose what was written just before. */
static void give_up(int code)
{
    usleep(200000);
    PMPI_Abort(MPI_COMM_WORLD, code);
}

/* A call that fails ends the program, unless the program has asked to be told of errors. */
static void check(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS || is_told(code))
        return;
    PMPI_Error_string(code, text, &length);
    printf("%s: an error in turn %d, rank %d, line %d, %s: %s\n", ERRONEOUS ? "allowed" : "NOT ALLOWED", turn, rank, line, call, text);
    fflush(stdout);
    give_up(!ERRONEOUS);
}

#define TRY(call)          \
    do {                   \
        line = __LINE__;   \
        check(call, #call); \
    } while (0)

/*** fatal ***/
static int is_told(int code)
{
    (void)code;
    return 0;
}

/*** told ***/
static int tolerant, last_error;

static int is_told(int code)
{
    if (tolerant)
        PMPI_Error_class(code, &last_error);
    return tolerant;
}

/*** placed ***/
/* Each int of a block stands for the value, the int's place and the turn: data that was moved, repeated or is old is another value. */
static int word(int value, int place)
{
    return (int)((unsigned)value + 4096u * (unsigned)(turn + place));
}

/*** same ***/
static int word(int value, int place)
{
    (void)place;
    return value;
}

/*** put ***/
static void put(int *block, int value)
{
    for (int i = 0; i < N; i++)
        block[i] = word(value, i);
}

/*** get ***/
static int get(const int *block, const char *name)
{
    int value = (int)((unsigned)block[0] - (unsigned)word(0, 0));
    for (int i = 1; i < N; i++)
        if (block[i] != word(value, i)) {
            printf("rank %d: element 0 of %s holds %d, element %d holds 0x%08x, not 0x%08x\n", rank, name, value, i,
                   (unsigned)block[i], (unsigned)word(value, i));
            return CORRUPT;
        }
    return value;
}

/*** always ***/
/* Everybody has come to the end of a turn, so that memory is no longer written. */
static void settle(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
}

/*** my_lasting ***/
/* An array that a request may read for as long as it is there. */
#define my_lasting(type, ...) \
    ((type *)memcpy(malloc(sizeof((const type[]){__VA_ARGS__})), (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__})))

/*** my_wait ***/
/* MPI_Wait by calls of MPI_Test: so the failure was seen. */
static int my_wait(MPI_Request *request, MPI_Status *status)
{
    for (;; sched_yield()) {
        int flag = 0, code = MPI_Test(request, &flag, status);
        if (code != MPI_SUCCESS || flag)
            return code;
    }
}

/*** my_poll my_then_wait ***/
/* A blocking call by its nonblocking form and calls of MPI_Test: so the failure was seen. */
static MPI_Request my_polled;
#define my_poll(call, ...) my_then_wait(call(__VA_ARGS__, &my_polled), MPI_STATUS_IGNORE)

static int my_then_wait(int code, MPI_Status *status)
{
    return code == MPI_SUCCESS ? my_wait(&my_polled, status) : code;
}

/*** my_recv ***/
static int my_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm of, MPI_Status *status)
{
    if (source == MPI_PROC_NULL)
        return MPI_Recv(buf, count, type, source, tag, of, status);
    return my_then_wait(MPI_Irecv(buf, count, type, source, tag, of, &my_polled), status);
}

/*** my_sendrecv ***/
static int my_sendrecv(const void *out, int outcount, MPI_Datatype outtype, int dest, int outtag, void *in, int incount,
                       MPI_Datatype intype, int source, int intag, MPI_Comm of, MPI_Status *status)
{
    MPI_Request receive = MPI_REQUEST_NULL;
    int code = source == MPI_PROC_NULL ? MPI_Recv(in, incount, intype, source, intag, of, status)
                                       : MPI_Irecv(in, incount, intype, source, intag, of, &receive);
    if (code == MPI_SUCCESS)
        code = my_poll(MPI_Isend, out, outcount, outtype, dest, outtag, of);
    return code == MPI_SUCCESS && receive != MPI_REQUEST_NULL ? my_wait(&receive, status) : code;
}

/*** my_waitall ***/
/* MPI_Waitall by calls of MPI_Testall: so the failure was seen. */
static int my_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    for (;; sched_yield()) {
        int flag = 0, code = MPI_Testall(count, requests, &flag, statuses);
        if (code != MPI_SUCCESS || flag)
            return code;
    }
}

/*** my_waitany ***/
/* MPI_Waitany by calls of MPI_Testany: so the failure was seen. */
static int my_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    for (;; sched_yield()) {
        int flag = 0, code = MPI_Testany(count, requests, index, &flag, status);
        if (code != MPI_SUCCESS || flag)
            return code;
    }
}

/*** my_waitsome ***/
/* MPI_Waitsome by calls of MPI_Testsome: so the failure was seen. */
static int my_waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
    for (;; sched_yield()) {
        int code = MPI_Testsome(count, requests, done, indices, statuses);
        if (code != MPI_SUCCESS || *done != 0)
            return code;
    }
}

/*** my_probe ***/
/* MPI_Probe by calls of MPI_Iprobe: so the failure was seen. */
static int my_probe(int source, int tag, MPI_Comm of, MPI_Status *status)
{
    for (;; sched_yield()) {
        int flag = 0, code = MPI_Iprobe(source, tag, of, &flag, status);
        if (code != MPI_SUCCESS || flag)
            return code;
    }
}

/*** my_mprobe ***/
/* MPI_Mprobe by calls of MPI_Improbe: so the failure was seen. */
static int my_mprobe(int source, int tag, MPI_Comm of, MPI_Message *message, MPI_Status *status)
{
    for (;; sched_yield()) {
        int flag = 0, code = MPI_Improbe(source, tag, of, &flag, message, status);
        if (code != MPI_SUCCESS || flag)
            return code;
    }
}

/*** my_choose ***/
static int my_choose(int alternatives)
{
    return rand() % alternatives;
}

/*** my_source ***/
static int my_source(const MPI_Status *status) /* -1 is MPI_ANY_SOURCE, -2 MPI_PROC_NULL */
{
    int source = status->MPI_SOURCE;
    return source == MPI_ANY_SOURCE ? -1 : source == MPI_PROC_NULL ? -2 : source;
}

/*** my_tag ***/
static int my_tag(const MPI_Status *status) /* -1 is MPI_ANY_TAG */
{
    return status->MPI_TAG == MPI_ANY_TAG ? -1 : status->MPI_TAG;
}

/*** my_count ***/
static int my_count(const MPI_Status *status) /* in values of N ints; -1 is MPI_UNDEFINED */
{
    int count;
    PMPI_Get_count(status, MPI_INT, &count);
    return count == MPI_UNDEFINED || count % N ? -1 : count / N;
}

/*** my_cancelled ***/
static int my_cancelled(const MPI_Status *status)
{
    int flag;
    PMPI_Test_cancelled(status, &flag);
    return flag != 0;
}

/*** my_index ***/
static int my_index(int index) /* -1 is MPI_UNDEFINED */
{
    return index == MPI_UNDEFINED ? -1 : index;
}

/*** my_comparison ***/
static int my_comparison(int result)
{
    return result == MPI_IDENT ? 0 : result == MPI_CONGRUENT ? 1 : result == MPI_SIMILAR ? 2 : 3;
}

/*** my_topology ***/
static int my_topology(int kind)
{
    return kind == MPI_GRAPH ? 1 : kind == MPI_CART ? 2 : kind == MPI_DIST_GRAPH ? 3 : -1;
}

/*** my_elements ***/
static int my_elements(MPI_Aint bytes) /* in values of N ints */
{
    return (int)(bytes / (MPI_Aint)(N * sizeof(int)));
}

/*** my_neighbour ***/
static int my_neighbour(int of)
{
    return of == MPI_PROC_NULL ? -2 : of;
}

/*** my_translated ***/
static int my_translated(int of) /* -1 is MPI_UNDEFINED, -2 MPI_PROC_NULL */
{
    return of == MPI_UNDEFINED ? -1 : my_neighbour(of);
}

/*** my_oldtype ***/
static MPI_Datatype my_oldtype(MPI_Datatype type) /* N of a predefined type, or as many packed bytes as N ints have */
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED, items = type == MPI_PACKED ? N * (int)sizeof(int) : N;
    MPI_Datatype made;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (items == 1 || combiner != MPI_COMBINER_NAMED)
        return type;
    PMPI_Type_contiguous(items, type, &made);
    PMPI_Type_commit(&made);
    return made;
}

/*** my_get_count ***/
static int my_get_count(const MPI_Status *status, MPI_Datatype type, int *count) /* ints in values of N */
{
    int code = MPI_Get_count(status, type, count);
    if (code == MPI_SUCCESS && type == MPI_INT && *count != MPI_UNDEFINED)
        *count = *count % N ? MPI_UNDEFINED : *count / N;
    return code;
}

/*** my_get_elements ***/
static int my_get_elements(const MPI_Status *status, MPI_Datatype type, int *count) /* in values of N ints */
{
    int code = MPI_Get_elements(status, type, count);
    if (code == MPI_SUCCESS && *count != MPI_UNDEFINED)
        *count = *count % N ? MPI_UNDEFINED : *count / N;
    return code;
}

/*** my_status_set_elements ***/
static int my_status_set_elements(MPI_Status *status, MPI_Datatype type, int count) /* of values of N ints */
{
    return MPI_Status_set_elements(status, type, count * N);
}

/*** my_leave ***/
/* What the program has not completed: a receive is cancelled. */
static void my_leave(MPI_Request *request)
{
    int done = 0;
    if (*request == MPI_REQUEST_NULL || PMPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return;
    if (!done && PMPI_Cancel(request) != MPI_SUCCESS)
        return;
    PMPI_Request_free(request);
}

/*** my_leave_message ***/
static void my_leave_message(MPI_Message *message)
{
    static char anything[1 << 20];
    if (*message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC)
        PMPI_Mrecv(anything, sizeof anything, MPI_BYTE, message, MPI_STATUS_IGNORE);
}

/*** my_leave_type ***/
static void my_leave_type(MPI_Datatype *type)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (*type != MPI_DATATYPE_NULL)
        PMPI_Type_get_envelope(*type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(type);
}

/*** my_leave_comm ***/
static void my_leave_comm(MPI_Comm *made)
{
    if (*made != MPI_COMM_NULL)
        PMPI_Comm_free(made);
}

/*** my_leave_group ***/
static void my_leave_group(MPI_Group *group)
{
    if (*group != MPI_GROUP_NULL && *group != MPI_GROUP_EMPTY)
        PMPI_Group_free(group);
}

/*** my_leave_op ***/
static void my_leave_op(MPI_Op *op)
{
    if (*op != MPI_OP_NULL)
        PMPI_Op_free(op);
}

/*** my_left my_right my_compose my_add ***/
#define OPERATION(name, result)                                           \
    static void name(void *in, void *inout, int *length, MPI_Datatype *type) \
    {                                                                     \
        (void)type;                                                       \
        for (int i = 0; i < *length; i++) {                               \
            int x = ((int *)in)[i], y = ((int *)inout)[i];                \
            (void)x, (void)y;                                             \
            ((int *)inout)[i] = (result);                                 \
        }                                                                 \
    }

/*** my_left ***/
OPERATION(my_left, x)

/*** my_right ***/
OPERATION(my_right, y)

/*** my_compose ***/
/* Maps x -> a x + b modulo 16, one after the other, as 16 a + b. */
OPERATION(my_compose, 16 * (x / 16 * (y / 16) % 16) + (x % 16 * (y / 16) + y % 16) % 16)

/*** my_add ***/
OPERATION(my_add, x + y)

/*** my_called my_copy_noted my_copy_next my_copy_not my_delete_noted my_on_error ***/
static int noted, noted_turn;

/* Writes a digit into a log, which begins anew with each turn. */
static void note(int digit)
{
    noted = (noted_turn == turn ? 10 * noted : 0) + digit % 10;
    noted_turn = turn;
}

/*** my_called ***/
static int my_called(void)
{
    return noted_turn == turn ? noted : 0;
}

/*** my_copy_noted my_copy_next my_copy_not my_copy_fails ***/
#define COPIER(name, notes, copies, more, code)                                                \
    static int name(MPI_Comm of, int key, void *extra, void *from, void *to, int *flag)        \
    {                                                                                          \
        (void)of, (void)key, (void)extra;                                                      \
        notes;                                                                                 \
        *flag = (copies);                                                                      \
        *(void **)to = (void *)((MPI_Aint)from + (more));                                      \
        return (code);                                                                         \
    }

/*** my_copy_noted ***/
COPIER(my_copy_noted, note((int)(MPI_Aint)from), 1, 0, MPI_SUCCESS)

/*** my_copy_next ***/
COPIER(my_copy_next, note((int)(MPI_Aint)from), 1, 1, MPI_SUCCESS)

/*** my_copy_not ***/
COPIER(my_copy_not, note((int)(MPI_Aint)from), 0, 0, MPI_SUCCESS)

/*** my_copy_fails ***/
COPIER(my_copy_fails, (void)0, 0, 0, MPI_ERR_OTHER)

/*** my_delete_noted ***/
static int my_delete_noted(MPI_Comm of, int key, void *value, void *extra)
{
    (void)of, (void)key, (void)extra;
    note((int)(MPI_Aint)value);
    return MPI_SUCCESS;
}

/*** my_delete_fails ***/
static int my_delete_fails(MPI_Comm of, int key, void *value, void *extra)
{
    (void)of, (void)key, (void)value, (void)extra;
    return MPI_ERR_OTHER;
}

/*** my_comm_set_attr ***/
static int my_comm_set_attr(MPI_Comm of, int key, int value)
{
    return MPI_Comm_set_attr(of, key, (void *)(MPI_Aint)value);
}

/*** my_comm_get_attr ***/
static int my_comm_get_attr(MPI_Comm of, int key, int *value, int *flag)
{
    void *held;
    int code = MPI_Comm_get_attr(of, key, &held, flag);
    if (code == MPI_SUCCESS && *flag)
        *value = (int)(MPI_Aint)held;
    return code;
}

/*** my_leave_key ***/
static void my_leave_key(int *key)
{
    void *held;
    int flag = 0;
    if (*key == MPI_KEYVAL_INVALID)
        return;
    if (PMPI_Comm_get_attr(MPI_COMM_SELF, *key, &held, &flag) == MPI_SUCCESS && flag)
        PMPI_Comm_delete_attr(MPI_COMM_SELF, *key);
    PMPI_Comm_free_keyval(key);
}

/*** my_class my_on_error ***/
static int my_class(int class) /* by its place in the standard's list */
{
    const int classes[] = {MPI_SUCCESS,      MPI_ERR_BUFFER, MPI_ERR_COUNT,    MPI_ERR_TYPE,    MPI_ERR_TAG,   MPI_ERR_COMM,
                           MPI_ERR_RANK,     MPI_ERR_REQUEST, MPI_ERR_ROOT,    MPI_ERR_GROUP,   MPI_ERR_OP,    MPI_ERR_TOPOLOGY,
                           MPI_ERR_DIMS,     MPI_ERR_ARG,    MPI_ERR_UNKNOWN,  MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_IN_STATUS};
    for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++)
        if (classes[i] == class)
            return i;
    return -1;
}

/*** my_fresh my_error_of ***/
enum { LEFT_AS_IT_WAS = -31337 };

static MPI_Status *my_fresh(MPI_Status *status)
{
    status->MPI_ERROR = LEFT_AS_IT_WAS;
    return status;
}

static int my_error_of(const MPI_Status *status) /* the class by its place in the standard's list; -1 if the call has put none there */
{
    int class = MPI_SUCCESS;
    if (status->MPI_ERROR == LEFT_AS_IT_WAS)
        return -1;
    PMPI_Error_class(status->MPI_ERROR, &class);
    return my_class(class);
}

/*** my_on_error ***/
static void my_on_error(MPI_Comm *of, int *code, ...)
{
    int class;
    (void)of;
    PMPI_Error_class(*code, &class);
    note(my_class(class));
}

/*** my_last_error ***/
static int my_last_error(void)
{
    int class = last_error;
    last_error = MPI_SUCCESS;
    return class;
}

/*** my_comm_set_errhandler ***/
static int my_comm_set_errhandler(MPI_Comm of, MPI_Errhandler handler)
{
    tolerant = 1;
    return MPI_Comm_set_errhandler(of, handler);
}

/*** my_comm_get_errhandler ***/
static int my_comm_get_errhandler(MPI_Comm of, MPI_Errhandler *handler)
{
    return MPI_Comm_get_errhandler(of, handler);
}

/*** my_handler my_leave_handler ***/
static int my_handler(MPI_Errhandler handler) /* 1 is MPI_ERRORS_ARE_FATAL, 2 MPI_ERRORS_RETURN, 3 MPI_ERRORS_ABORT, 16 the program's own */
{
    if (handler == MPI_ERRHANDLER_NULL)
        return 0;
#ifdef MPI_ERRORS_ABORT /* from MPI 4.0 on */
    if (handler == MPI_ERRORS_ABORT)
        return 3;
#endif
    return handler == MPI_ERRORS_ARE_FATAL ? 1 : handler == MPI_ERRORS_RETURN ? tolerant ? 2 : 1 : 16;
}

/*** my_leave_handler ***/
static void my_leave_handler(MPI_Errhandler *handler)
{
    if (my_handler(*handler) == 16)
        PMPI_Errhandler_free(handler);
}

/*** my_grequest_start ***/
static int my_query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int my_release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int my_cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static int my_grequest_start(MPI_Request *request)
{
    return MPI_Grequest_start(my_query, my_release, my_cancel, NULL, request);
}

/*** my_win_allocate my_win_free ***/
static struct {
    MPI_Win win;
    int *own, *memory;
    size_t bytes;
} windows[16];
static int window_count;

/* Memory of a window begins with what the variable holds, and the variable has what it holds in the end. */
static int my_win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm of, int **base, MPI_Win *win)
{
    int *memory, code = MPI_Win_allocate(size, unit, info, of, &memory, win);
    if (code != MPI_SUCCESS)
        return code;
    memcpy(memory, *base, (size_t)size);
    windows[window_count].win = *win;
    windows[window_count].own = *base;
    windows[window_count].memory = memory;
    windows[window_count++].bytes = (size_t)size;
    *base = memory;
    PMPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    return PMPI_Barrier(of);
}

static int my_win_free(MPI_Win *win)
{
    MPI_Win freed = *win;
    PMPI_Barrier(comm);
    for (int i = 0; i < window_count; i++)
        if (windows[i].win == freed) {
            memcpy(windows[i].own, windows[i].memory, windows[i].bytes);
            windows[i] = windows[--window_count];
            break;
        }
    return MPI_Win_free(win);
}

/*** my_win_get_attr ***/
static int my_win_get_attr(MPI_Win win, int key, int *value, int *flag)
{
    void *found = NULL;
    int code = MPI_Win_get_attr(win, key, &found, flag);
    if (code != MPI_SUCCESS || !*flag)
        return code;
    if (key == MPI_WIN_SIZE)
        *value = (int)(*(MPI_Aint *)found / (MPI_Aint)(N * sizeof(int)));
    else if (key == MPI_WIN_DISP_UNIT)
        *value = *(int *)found / (int)(N * sizeof(int));
    else if (key == MPI_WIN_CREATE_FLAVOR)
        *value = *(int *)found == MPI_WIN_FLAVOR_ALLOCATE ? 2 : *(int *)found == MPI_WIN_FLAVOR_CREATE ? 1 : -1;
    else
        *value = *(int *)found == MPI_WIN_UNIFIED ? 2 : 1;
    return code;
}

/*** my_leave_win ***/
/* A window in an epoch cannot be freed: it stays. */
static void my_leave_win(MPI_Win *win)
{
    (void)win;
}

/*** my_info ***/
static MPI_Info my_info(const char *key, const char *value)
{
    MPI_Info info;
    PMPI_Info_create(&info);
    PMPI_Info_set(info, key, value);
    return info;
}

/*** my_finalize my_finalized ***/
static int finalized; /* in this turn */

/*** my_finalize ***/
/* The end of MPI for this turn: its barrier. */
static int my_finalize(void)
{
    int code = MPI_Barrier(comm);
    finalized = turn;
    return code;
}

/*** my_finalized ***/
static int my_finalized(int *flag)
{
    *flag = finalized == turn;
    return MPI_SUCCESS;
}

/*** my_lent ***/
/* What is lent to a communicator: room for so many messages, or MPI_BUFFER_AUTOMATIC, which is a pointer. */
#define my_room(size, messages) ((int)(sizeof(int) * (size_t)(size) * N + (size_t)(messages) * MPI_BSEND_OVERHEAD))
#define my_lent(size, messages) \
    _Generic((size), void *: (void *)(size_t)(size), default: malloc((size_t)my_room(size, messages))), my_room(size, messages)

/*** my_taken ***/
#define my_taken(type) &(type){0}

/*** my_buffer_attach my_buffer_detach ***/
static void *attached;

/*** my_buffer_attach ***/
static int my_buffer_attach(int size, int messages)
{
    int bytes = (int)sizeof(int) * size * N + messages * MPI_BSEND_OVERHEAD;
    attached = malloc((size_t)bytes);
    return MPI_Buffer_attach(attached, bytes);
}

/*** my_buffer_detach ***/
static int my_buffer_detach(void)
{
    int bytes;
    return MPI_Buffer_detach(&attached, &bytes);
}
