/* Shared memory lies at the same place in all processes, so that it is known whose part an address is of. Each has a copy of it: what one stores is a store
 * to the other's part for the rules, and comes to the others as what others write into a window does. Each of the first 256
 * processes has a stretch of addresses of its own, of 4 GiB. A window lies in the stretch of the last of its processes, which they find out first: so no two
 * windows lie at the same place, whichever processes they are of. */
struct offer {
    long size, unit, free;
};
static long next_shared;
static long win_allocate_shared(long size, long unit, int info, int comm, void *baseptr, int *win, const void *site)
{
    enum { PAGE = 4096, LONG = 0x4c000807, PROCESSES = 256 };
    static const long FIRST = 0x5a0000000000, STRETCH = 1l << 32;
    int n = 0, rank = 0, world = 0;
    long err = through_MPI_Comm_size(site, (uint32_t)comm, (uint64_t)&n);
    err = err ? err : through_MPI_Comm_rank(site, (uint32_t)comm, (uint64_t)&rank);
    if (!next_shared && !err) {
        err = through_MPI_Comm_rank(site, COMM_WORLD, (uint64_t)&world);
        next_shared = FIRST + world % PROCESSES * STRETCH;
    }
    struct offer own = {size, unit, next_shared}, *all = calloc((size_t)n + 1, sizeof *all);
    if (!all)
        give_up("there is no memory for a window");
    err = err ? err : through_MPI_Allgather(site, (uint64_t)&own, 3, LONG, (uint64_t)all, 3, LONG, (uint32_t)comm);
    if (err)
        return err;
    long from = 0, before = 0, total = 0;
    for (int i = 0; i < n; i++) {
        long part = all[i].size > 0 ? all[i].size : 0;
        from = all[i].free > from ? all[i].free : from;
        before += i < rank ? part : 0;
        total += part;
    }
    for (int i = 0, at = 0; i < n; at += all[i].size > 0 ? all[i].size : 0, i++)
        all[i].free = from + at;
    size_t bytes = ((size_t)total / PAGE + 1) * PAGE;
    next_shared = from == own.free ? from + (long)bytes + PAGE : next_shared;
    if (mmap((void *)from, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        give_up("there is no memory for a window");
    char *base = (char *)from + before;
    *(void **)baseptr = base;
    uint64_t a[] = {(uint64_t)size, (uint32_t)unit, says(info), (uint32_t)comm, (uint64_t)base, (uint64_t)win};
    err = keep(call(NUMBER_MPI_Win_allocate_shared, a, 6, site), win, base, info);
    if (windows)
        windows->processes = n, windows->parts = all;
    return err;
}
int MPI_Win_allocate_shared(long size, int unit, int info, int comm, void *baseptr, int *win)
{
    NEEDED(MPI_Win_allocate_shared, baseptr, win);
    return (int)win_allocate_shared(size, unit, info, comm, baseptr, win, __builtin_return_address(0));
}
int MPI_Win_allocate_shared_c(long size, long unit, int info, int comm, void *baseptr, int *win)
{
    NEEDED(MPI_Win_allocate_shared_c, baseptr, win);
    return (int)win_allocate_shared(size, unit, info, comm, baseptr, win, __builtin_return_address(0));
}

/* The part of a process, or, for MPI_PROC_NULL, of the first one that has brought memory (MPI-4.1 12.2.3). */
static const struct offer *part_of(int win, int rank)
{
    enum { PROC_NULL = -1 };
    static const struct offer none;
    struct window *w = window_of(win);
    if (!w || !w->parts || rank < PROC_NULL || rank >= w->processes)
        return NULL;
    if (rank != PROC_NULL)
        return &w->parts[rank];
    for (int i = 0; i < w->processes; i++)
        if (w->parts[i].size > 0)
            return &w->parts[i];
    return &none;
}
static int wrong_part(int win, uint32_t function, const void *site)
{
    enum { ERR_RANK = 6, ERR_RMA_FLAVOR = 58 };
    struct window *w = window_of(win);
    long err = there(win, site);
    return err ? (int)err : (int)failed(function, COMM_WORLD, w && w->parts ? ERR_RANK : ERR_RMA_FLAVOR, site);
}
int MPI_Win_shared_query(int win, int rank, long *size, int *unit, void *baseptr)
{
    NEEDED(MPI_Win_shared_query, size, unit, baseptr);
    const struct offer *part = part_of(win, rank);
    if (!part)
        return wrong_part(win, NUMBER_MPI_Win_shared_query, __builtin_return_address(0));
    *size = part->size, *unit = (int)part->unit, *(void **)baseptr = (void *)part->free;
    return (int)there(win, __builtin_return_address(0));
}
int MPI_Win_shared_query_c(int win, int rank, long *size, long *unit, void *baseptr)
{
    NEEDED(MPI_Win_shared_query_c, size, unit, baseptr);
    const struct offer *part = part_of(win, rank);
    if (!part)
        return wrong_part(win, NUMBER_MPI_Win_shared_query_c, __builtin_return_address(0));
    *size = part->size, *unit = part->unit, *(void **)baseptr = (void *)part->free;
    return (int)there(win, __builtin_return_address(0));
}
