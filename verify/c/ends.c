/* Where a process ends that does not end by itself behind main: the place in the program that calls `exit`, or at which a signal ends it. The process
 * says so before it ends. */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* Whether code is of the C library, of this one, or of what loads them: the program has called it. */
static int is_of_system(uintptr_t at)
{
    static const char *const names[] = {"libc.", "libm.", "libmpi", "ld-", "libpthread"};
    Dl_info of;
    if (!dladdr((void *)at, &of) || !of.dli_fname)
        return 1;
    const char *slash = strrchr(of.dli_fname, '/'), *name = slash ? slash + 1 : of.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i])))
            return 1;
    return 0;
}

static _Unwind_Reason_Code look_for_end(struct _Unwind_Context *frame, void *site)
{
    int is_interrupted = 0;
    uintptr_t at = _Unwind_GetIPInfo(frame, &is_interrupted);
    if (is_of_system(at))
        return _URC_NO_REASON;
    /* Others return to where they were called from, behind the call. */
    *(uint64_t *)site = at + (is_interrupted ? 1 : 0);
    return _URC_END_OF_STACK;
}

static void say_end(uint64_t site)
{
    /* A process that the program has started says nothing here, and of Python it would be a line of the interpreter. */
    if (python.is_there || !own.line || own.pid != getpid() || !site)
        return;
    struct said s = {.what = ENDS, .site = site};
    say(&s);
}

static void dies(int signal)
{
    uint64_t site = 0;
    _Unwind_Backtrace(look_for_end, &site);
    say_end(site);
    /* It comes when this function has returned, and nobody handles it then. */
    raise(signal);
}

static void listen_for_signals(void)
{
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction now, dying = {.sa_handler = dies, .sa_flags = (int)SA_RESETHAND};
        if (!sigaction(deadly[i], NULL, &now) && now.sa_handler == SIG_DFL)
            sigaction(deadly[i], &dying, NULL);
    }
}

void exit(int code)
{
    static void (*exits)(int) __attribute__((noreturn));
    if (!exits)
        *(void **)&exits = next("exit");
    say_end((uint64_t)__builtin_return_address(0));
    exits(code);
}
