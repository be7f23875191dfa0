/* Memory: what windows hold, what the program allocates, and addresses. */

/* The process is told what its windows hold. */
static void look_at_windows(const void *site)
{
    own.watch.unlooked = 0;
    through_look(site);
}

/* Memory that the program has allocated and not freed. */
static void **pieces;
static int npieces;
int MPI_Alloc_mem(long size, int info, void *base)
{
    NEEDED(MPI_Alloc_mem, base);
    (void)info;
    void *p = calloc(1, size > 0 ? (size_t)size : 1);
    *(void **)base = p;
    if (!p)
        return 34;
    pieces = grown(pieces, npieces, sizeof *pieces);
    pieces[npieces++] = p;
    return 0;
}
int MPI_Free_mem(void *base)
{
    enum { ERR_BASE = 46 };
    int at = 0;
    while (at < npieces && pieces[at] != base)
        at++;
    if (base && at == npieces)
        return (int)failed(NUMBER_MPI_Free_mem, COMM_WORLD, ERR_BASE, __builtin_return_address(0));
    if (base)
        pieces[at] = pieces[--npieces];
    free(base);
    return 0;
}
long MPI_Aint_add(long base, long disp) { return base + disp; }
long MPI_Aint_diff(long a, long b) { return a - b; }
int MPI_Get_address(const void *location, void *address)
{
    NEEDED(MPI_Get_address, address);
    *(const void **)address = location;
    return 0;
}
