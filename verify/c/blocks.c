/* Which blocks of memory the program has from the C library, so that litmpi can tell a buffer that reaches beyond its block, or lies in one that
 * was freed. They stand in a treap: a tree that is sorted by address, and a heap by a hash of the address, so that it stays shallow. litmpi reads it
 * from outside the process. */
enum { BLOCKS = 1 << 16 };

struct block {
    uint64_t at, bytes;
    uint32_t low, high;
    /* It was freed, and nothing has taken its place. */
    uint64_t is_freed;
    /* Where there are several threads, how many calls of MPI there were when the program got it. Without, ways of a process that differ in that alone are one. */
    uint64_t born;
};

static struct {
    /* The highest block, or 0; whether there were more than the tree has room for. */
    uint64_t root, lost;
    struct block block[BLOCKS];
    uint32_t used, unused;
    int held;
} blocks;

/* The hash of an address. */
static uint64_t mixed(uint64_t at)
{
    at = (at ^ at >> 31) * 0x9e3779b97f4a7c15u;
    return at ^ at >> 29;
}

/* Cuts a tree: what lies before an address, and the others. */
static void cut(uint32_t tree, uint64_t at, uint32_t *before, uint32_t *others)
{
    struct block *b = &blocks.block[tree];
    if (!tree)
        *before = *others = 0;
    else if (b->at < at)
        *before = tree, cut(b->high, at, &b->high, others);
    else
        *others = tree, cut(b->low, at, before, &b->low);
}

/* One tree of two, all addresses of the first of which lie before those of the second. */
static uint32_t merged(uint32_t low, uint32_t high)
{
    struct block *l = &blocks.block[low], *h = &blocks.block[high];
    if (!low || !high)
        return low ? low : high;
    if (mixed(l->at) > mixed(h->at))
        return l->high = merged(l->high, high), low;
    return h->low = merged(low, h->low), high;
}

static void forget_all(uint32_t tree)
{
    if (!tree)
        return;
    struct block *b = &blocks.block[tree];
    uint32_t high = b->high;
    forget_all(b->low);
    b->low = blocks.unused, blocks.unused = tree;
    forget_all(high);
}

/* The last block that begins before an address. */
static struct block *last_before(uint64_t at)
{
    struct block *found = NULL;
    for (uint32_t t = (uint32_t)blocks.root; t;) {
        struct block *b = &blocks.block[t];
        if (b->at < at)
            found = b, t = b->high;
        else
            t = b->low;
    }
    return found;
}

/* A block takes the place of those that were there before. */
static void add_block(const void *place, size_t bytes)
{
    uint64_t at = (uint64_t)place, size = bytes ? bytes : 1;
    if (!place)
        return;
    lock(&blocks.held);
    struct block *last = last_before(at);
    if (last && last->at + last->bytes > at)
        last->bytes = at - last->at;
    uint32_t before, over, behind, new;
    cut((uint32_t)blocks.root, at, &before, &over);
    cut(over, at + size, &over, &behind);
    forget_all(over);
    if (blocks.unused)
        new = blocks.unused, blocks.unused = blocks.block[new].low;
    else if (blocks.used + 1 < BLOCKS)
        new = ++blocks.used;
    else
        blocks.lost = 1, new = 0;
    if (new)
        blocks.block[new] = (struct block){.at = at, .bytes = size, .born = own.watch.is_several ? own.watch.calls : 0};
    blocks.root = merged(merged(before, new), behind);
    unlock(&blocks.held);
    /* What was done there was done to something else. */
    if (own.watch.logged)
        forget_log(at, at + size);
}

static void free_block(const void *place)
{
    uint64_t at = (uint64_t)place;
    if (!place)
        return;
    lock(&blocks.held);
    struct block *b = last_before(at + 1);
    if (b && b->at == at)
        b->is_freed = 1;
    unlock(&blocks.held);
}

/* Memory that is given back is not the program's any more. Whose allocator it is does not matter: that of the program comes before this one,
 * and the next one is asked. */
static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f)
        abort();
    return f;
}
static void (*frees)(void *);
static void *(*allocates)(size_t), *(*reallocates)(void *, size_t), *(*clears)(size_t, size_t), *(*aligns)(size_t, size_t);
/* Known before a name is looked for that is not there: the next one that is looked for frees what was said of that. Where the C library's own comes before
 * this one, as in Fortran, there is no next one, and none is needed. */
static void __attribute__((constructor)) know_allocator(void)
{
    if (!frees)
        *(void **)&frees = dlsym(RTLD_NEXT, "free");
}
void free(void *p)
{
    if (!frees)
        *(void **)&frees = next("free");
    if (p && own.watch.ranges)
        note(p, malloc_usable_size(p), FREES, __builtin_return_address(0));
    free_block(p);
    frees(p);
}
void *realloc(void *p, size_t bytes)
{
    if (!reallocates)
        *(void **)&reallocates = next("realloc");
    size_t before = p && own.watch.ranges ? malloc_usable_size(p) : 0;
    uintptr_t at = (uintptr_t)p;
    void *moved = reallocates(p, bytes);
    if (before && moved && (uintptr_t)moved != at)
        note((const void *)at, before, FREES, __builtin_return_address(0));
    if (moved || !bytes)
        free_block((const void *)at);
    add_block(moved, bytes);
    return moved;
}
void *malloc(size_t bytes)
{
    if (!allocates)
        *(void **)&allocates = next("malloc");
    void *p = allocates(bytes);
    add_block(p, bytes);
    return p;
}
void *calloc(size_t n, size_t bytes)
{
    if (!clears)
        *(void **)&clears = next("calloc");
    void *p = clears(n, bytes);
    add_block(p, n * bytes);
    return p;
}
void *aligned_alloc(size_t alignment, size_t bytes)
{
    if (!aligns)
        *(void **)&aligns = next("aligned_alloc");
    void *p = aligns(alignment, bytes);
    add_block(p, bytes);
    return p;
}
void *memalign(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}
int posix_memalign(void **p, size_t alignment, size_t bytes)
{
    static int (*places)(void **, size_t, size_t);
    if (!places)
        *(void **)&places = next("posix_memalign");
    int err = places(p, alignment, bytes);
    if (!err)
        add_block(*p, bytes);
    return err;
}
