/* What the program has promised of communicators by keys of info objects (MPI-4.1 7.4.4): the rules are told of it, and what was said is kept, because a
 * later info object that does not name a key leaves it as it was. */
static const struct {
    const char *key;
    uint32_t bit;
} promises[] = {
    {"mpi_assert_no_any_tag", 1}, {"mpi_assert_no_any_source", 2}, {"mpi_assert_exact_length", 4}, {"mpi_assert_allow_overtaking", 8},
};
enum { PROMISES = sizeof promises / sizeof *promises };
static struct promised {
    int handle;
    /* Those that were named, and those that were promised. */
    uint32_t named, bits;
    struct promised *next;
} *promised;

static struct promised *promised_of(int comm)
{
    struct promised *p = promised;
    while (p && p->handle != comm)
        p = p->next;
    return p;
}

/* Hears what an info object says of a communicator; what it is for the rules. */
static uint32_t hear_promises(int comm, int info)
{
    struct promised *p = promised_of(comm);
    for (int i = 0; i < PROMISES; i++) {
        struct pair *pair = pair_of(info_of(info), promises[i].key);
        if (!pair)
            continue;
        if (!p) {
            p = calloc(1, sizeof *p);
            if (!p)
                give_up("there is no memory for a communicator's hints");
            p->handle = comm, p->next = promised, promised = p;
        }
        p->named |= promises[i].bit;
        p->bits = strcmp(pair->value, "true") ? p->bits & ~promises[i].bit : p->bits | promises[i].bit;
    }
    return p && p->bits ? p->bits : INFO_NULL;
}
/* A communicator that is new has these hints. */
static long promise(int comm, int info, const void *site)
{
    struct promised *p = promised_of(comm);
    uint32_t before = p && p->bits ? p->bits : INFO_NULL, bits = hear_promises(comm, info);
    return bits == before ? 0 : through_promise(site, (uint32_t)comm, bits);
}

int MPI_Comm_set_info(int comm, int info)
{
    const void *site = __builtin_return_address(0);
    long err = there(comm, site);
    return (int)(err ? err : through_MPI_Comm_set_info(site, (uint32_t)comm, hear_promises(comm, info)));
}
int MPI_Comm_get_info(int comm, int *info)
{
    NEEDED(MPI_Comm_get_info, info);
    long err = there(comm, __builtin_return_address(0));
    struct promised *p = promised_of(comm);
    err = err ? err : new_info(info);
    for (int i = 0; i < PROMISES && p && !err; i++)
        if (p->named & promises[i].bit)
            err = set_info(*info, promises[i].key, p->bits & promises[i].bit ? "true" : "false");
    return (int)err;
}
