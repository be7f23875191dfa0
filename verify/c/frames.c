/* Where a program calls MPI that is written in Python or Rust: mpi4py and rsmpi make the call, and who wants to know the line means that of the program's
 * own code. In Python that is the frame that runs; in Rust it is among those that the call returns to, and litmpi looks for it. */
static struct {
    int is_known, (*is_there)(void), (*ends)(void), (*ensure)(void), (*line)(void *);
    void (*release)(int), (*let_go)(void *);
    void *(*frame)(void), *(*back)(void *), *(*code)(void *), *(*attribute)(void *, const char *);
    const char *(*text)(void *);
} python;

static void know_python(void)
{
    python.is_known = 1;
    const struct {
        const char *name;
        void *to;
    } needed[] = {
        {"Py_IsInitialized", &python.is_there}, {"PyGILState_Ensure", &python.ensure}, {"PyFrame_GetLineNumber", &python.line},
        {"PyGILState_Release", &python.release}, {"Py_DecRef", &python.let_go}, {"PyEval_GetFrame", &python.frame}, {"PyFrame_GetBack", &python.back},
        {"PyFrame_GetCode", &python.code}, {"PyObject_GetAttrString", &python.attribute}, {"PyUnicode_AsUTF8", &python.text},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(*(void **)needed[i].to = dlsym(RTLD_DEFAULT, needed[i].name))) {
            python.is_there = NULL;
            return;
        }
    *(void **)&python.ends = dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
}

/* Whether a file is one of mpi4py's: it is installed among Python's packages, or was compiled by Cython. A program's own folder may have that name, too. */
static int is_of_mpi4py(const char *file)
{
    const char *end = strrchr(file, '.');
    return (end && (!strcmp(end, ".pyx") || !strcmp(end, ".pxi"))) || strstr(file, "-packages/mpi4py/");
}

/* The file of a frame and its line, if it is of the program: of mpi4py itself, and of what imports modules, they are not. */
static int place_of_frame(void *frame)
{
    void *code = python.code(frame), *file = code ? python.attribute(code, "co_filename") : NULL;
    const char *name = file ? python.text(file) : NULL;
    int is_own = name && *name != '<' && !is_of_mpi4py(name);
    if (is_own) {
        const char *slash = strrchr(name, '/');
        snprintf(own.place, sizeof own.place, "%.*s:%d", (int)sizeof own.place - 16, slash ? slash + 1 : name, python.line(frame));
    }
    if (file)
        python.let_go(file);
    if (code)
        python.let_go(code);
    return is_own;
}

static void look_at_python(void)
{
    enum { FARTHEST = 50 };
    if (!python.is_known)
        know_python();
    if (!python.is_there || !python.is_there() || (python.ends && python.ends()))
        return;
    int before = python.ensure();
    void *frame = python.frame(), *owned = NULL;
    for (int i = 0; frame && i < FARTHEST && !place_of_frame(frame); i++) {
        frame = python.back(frame);
        if (owned)
            python.let_go(owned);
        owned = frame;
    }
    if (owned)
        python.let_go(owned);
    python.release(before);
}

struct stack {
    uintptr_t site;
    int is_passed;
    unsigned n;
};
static _Unwind_Reason_Code climb(struct _Unwind_Context *frame, void *stack)
{
    struct stack *s = stack;
    uintptr_t at = _Unwind_GetIP(frame);
    if (s->is_passed)
        own.frames[s->n++] = at;
    s->is_passed |= at == s->site;
    return s->n == STACK ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Notes it for a call that returns to `site`. */
static __attribute__((noinline)) void note_frames(const void *site)
{
    static int is_known, climbs;
    if (!is_known)
        is_known = 1, climbs = getenv("LITMPI_VERIFY_STACK") != NULL;
    memset(own.frames, 0, sizeof own.frames);
    *own.place = 0;
    look_at_python();
    struct stack s = {.site = (uintptr_t)site};
    if (climbs)
        _Unwind_Backtrace(climb, &s);
}
