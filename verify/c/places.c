/* Where a program calls MPI. A program in Fortran calls libmpichfort, which calls the library: the place is the one that libmpichfort was called from. */
static struct binding {
    uintptr_t from, to;
} binding;

static int is_binding(struct dl_phdr_info *library, size_t size, void *nothing)
{
    (void)size, (void)nothing;
    if (!strstr(library->dlpi_name, "/libmpichfort.so"))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        uintptr_t at = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            binding = (struct binding){at, at + part->p_memsz};
    }
    return 1;
}

static int is_within(uintptr_t at)
{
    return binding.from <= at && at < binding.to;
}

struct search {
    uintptr_t site;
    int is_passed;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *search)
{
    struct search *s = search;
    uintptr_t at = _Unwind_GetIP(frame);
    s->is_passed |= at == s->site;
    if (!s->is_passed || is_within(at))
        return _URC_NO_REASON;
    s->site = at;
    return _URC_END_OF_STACK;
}

static __attribute__((noinline)) const void *called_from(const void *site)
{
    static int is_known;
    if (!is_known)
        is_known = 1, dl_iterate_phdr(is_binding, NULL);
    if (!is_within((uintptr_t)site))
        return site;
    struct search s = {.site = (uintptr_t)site};
    _Unwind_Backtrace(look, &s);
    return (const void *)s.site;
}
