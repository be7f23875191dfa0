/* The tool information interface (MPI-4.1, section 15.3): there are no variables, categories, events or sources, as a library may have none. Nothing of it concerns
 * other processes, or the rules. A call never ends the program: what is wrong it returns. */
enum {
    T_NOT_INITIALIZED = 60, T_INVALID_INDEX = 62, T_INVALID_HANDLE = 64, T_OUT_OF_SESSIONS = 66, T_INVALID_SESSION = 67, T_INVALID_NAME = 73, T_INVALID = 74,
    T_SESSIONS = 64
};
static int tools;
static unsigned char tool_session[T_SESSIONS];

int MPI_T_init_thread(int required, int *provided)
{
    if (!provided)
        return T_INVALID;
    *provided = required;
    return tools++, 0;
}
int MPI_T_finalize(void)
{
    if (!tools)
        return T_NOT_INITIALIZED;
    return tools--, 0;
}

/* Of each kind there are none; so every index, name and handle is wrong. */
static int are_none(int *number)
{
    if (!tools)
        return T_NOT_INITIALIZED;
    return number ? *number = 0 : T_INVALID;
}
static int is_wrong(int error) { return tools ? error : T_NOT_INITIALIZED; }
int MPI_T_category_get_num(int *number) { return are_none(number); }
int MPI_T_cvar_get_num(int *number) { return are_none(number); }
int MPI_T_event_get_num(int *number) { return are_none(number); }
int MPI_T_pvar_get_num(int *number) { return are_none(number); }
int MPI_T_source_get_num(int *number) { return are_none(number); }
int MPI_T_category_get_categories(int a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_cvars(int a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_events(int a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_info(int a0, const void *a1, const void *a2, const void *a3, const void *a4, const void *a5, const void *a6, const void *a7) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_num_events(int a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_pvars(int a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_INDEX); }
int MPI_T_cvar_get_info(int a0, const void *a1, const void *a2, const void *a3, const void *a4, const void *a5, const void *a6, const void *a7, const void *a8, const void *a9) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, (void)a9, is_wrong(T_INVALID_INDEX); }
int MPI_T_cvar_handle_alloc(int a0, const void *a1, const void *a2, const void *a3) { return (void)a0, (void)a1, (void)a2, (void)a3, is_wrong(T_INVALID_INDEX); }
int MPI_T_event_get_info(int a0, const void *a1, const void *a2, const void *a3, const void *a4, const void *a5, const void *a6, const void *a7, const void *a8, const void *a9, const void *a10, const void *a11) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, (void)a9, (void)a10, (void)a11, is_wrong(T_INVALID_INDEX); }
int MPI_T_event_handle_alloc(int a0, const void *a1, int a2, const void *a3) { return (void)a0, (void)a1, (void)a2, (void)a3, is_wrong(T_INVALID_INDEX); }
int MPI_T_pvar_get_info(int a0, const void *a1, const void *a2, const void *a3, const void *a4, const void *a5, const void *a6, const void *a7, const void *a8, const void *a9, const void *a10, const void *a11, const void *a12) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, (void)a9, (void)a10, (void)a11, (void)a12, is_wrong(T_INVALID_INDEX); }
int MPI_T_source_get_info(int a0, const void *a1, const void *a2, const void *a3, const void *a4, const void *a5, const void *a6, const void *a7, const void *a8) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8, is_wrong(T_INVALID_INDEX); }
int MPI_T_source_get_timestamp(int a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_INDEX); }
int MPI_T_category_get_index(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_NAME); }
int MPI_T_cvar_get_index(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_NAME); }
int MPI_T_event_get_index(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_NAME); }
int MPI_T_pvar_get_index(const void *a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_NAME); }
int MPI_T_cvar_handle_free(const void *a0) { return (void)a0, is_wrong(T_INVALID_HANDLE); }
int MPI_T_cvar_read(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_cvar_write(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_enum_get_info(const void *a0, const void *a1, const void *a2, const void *a3) { return (void)a0, (void)a1, (void)a2, (void)a3, is_wrong(T_INVALID_HANDLE); }
int MPI_T_enum_get_item(const void *a0, int a1, const void *a2, const void *a3, const void *a4) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_callback_get_info(const void *a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_callback_set_info(const void *a0, int a1, int a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_copy(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_get_source(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_get_timestamp(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_handle_free(const void *a0, const void *a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_handle_get_info(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_handle_set_info(const void *a0, int a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_read(const void *a0, int a1, const void *a2) { return (void)a0, (void)a1, (void)a2, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_register_callback(const void *a0, int a1, int a2, const void *a3, const void *a4) { return (void)a0, (void)a1, (void)a2, (void)a3, (void)a4, is_wrong(T_INVALID_HANDLE); }
int MPI_T_event_set_dropped_handler(const void *a0, const void *a1) { return (void)a0, (void)a1, is_wrong(T_INVALID_HANDLE); }
int MPI_T_category_changed(int *number) { return are_none(number); }

/* A session is the address of its place, and has no handles. */
static int of_session(const void *session)
{
    uintptr_t at = (uintptr_t)session - (uintptr_t)tool_session;
    return is_wrong(at < T_SESSIONS && tool_session[at] ? T_INVALID_HANDLE : T_INVALID_SESSION);
}
int MPI_T_pvar_session_create(void **session)
{
    int at = 0;
    if (!tools || !session)
        return is_wrong(T_INVALID);
    while (at < T_SESSIONS && tool_session[at])
        at++;
    if (at == T_SESSIONS)
        return T_OUT_OF_SESSIONS;
    tool_session[at] = 1;
    *session = tool_session + at;
    return 0;
}
int MPI_T_pvar_session_free(void **session)
{
    if (!session || of_session(*session) != T_INVALID_HANDLE)
        return session ? of_session(*session) : is_wrong(T_INVALID);
    *(unsigned char *)*session = 0;
    *session = NULL;
    return 0;
}
int MPI_T_pvar_handle_alloc(const void *a0, int a1, const void *a2, const void *a3, const void *a4) { return (void)a1, (void)a2, (void)a3, (void)a4, of_session(a0) == T_INVALID_HANDLE ? T_INVALID_INDEX : of_session(a0); }
int MPI_T_pvar_handle_free(const void *a0, const void *a1) { return (void)a1, of_session(a0); }
int MPI_T_pvar_read(const void *a0, const void *a1, const void *a2) { return (void)a1, (void)a2, of_session(a0); }
int MPI_T_pvar_readreset(const void *a0, const void *a1, const void *a2) { return (void)a1, (void)a2, of_session(a0); }
int MPI_T_pvar_write(const void *a0, const void *a1, const void *a2) { return (void)a1, (void)a2, of_session(a0); }

/* All handles of a session can be started, stopped and reset at once: none are. */
void *const MPI_T_PVAR_ALL_HANDLES = (void *)-1;
static int of_handles(const void *session, const void *handle)
{
    int error = of_session(session);
    return error == T_INVALID_HANDLE && handle == MPI_T_PVAR_ALL_HANDLES ? 0 : error;
}
int MPI_T_pvar_start(const void *session, const void *handle) { return of_handles(session, handle); }
int MPI_T_pvar_stop(const void *session, const void *handle) { return of_handles(session, handle); }
int MPI_T_pvar_reset(const void *session, const void *handle) { return of_handles(session, handle); }
