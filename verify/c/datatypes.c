/* How datatypes were made: what MPI_Type_get_envelope and MPI_Type_get_contents give back (MPI-4.1, section 5.1.13). The rules know what a
 * datatype is, and not by which calls a program has made it. */

struct described {
    int handle, freed, combiner, integers, addresses, types;
    int *integer, *type;
    long *address;
    struct described *next;
};
static struct described *described_types;

static struct described *description_of(int handle)
{
    struct described *d = described_types;
    while (d && d->handle != handle)
        d = d->next;
    return d;
}

static void add_integers(struct described *d, int n, const int *from)
{
    int *more = realloc(d->integer, sizeof(int) * (size_t)(d->integers + n + 1));
    if (!more)
        give_up("there is no memory for a datatype");
    memcpy(more + d->integers, from, sizeof(int) * (size_t)n);
    d->integer = more, d->integers += n;
}
static void add_integer(struct described *d, uint64_t value) { add_integers(d, 1, &(int){(int)value}); }

static void add_addresses(struct described *d, int n, const long *from)
{
    d->address = malloc(sizeof(long) * (size_t)(n + 1));
    if (!d->address)
        give_up("there is no memory for a datatype");
    memcpy(d->address, from, sizeof(long) * (size_t)n);
    d->addresses = n;
}

static void add_types(struct described *d, int n, const int *from)
{
    d->type = malloc(sizeof(int) * (size_t)(n + 1));
    if (!d->type)
        give_up("there is no memory for a datatype");
    memcpy(d->type, from, sizeof(int) * (size_t)n);
    d->types = n;
}

/* Notes a call that has made a datatype, by its arguments, of which this is the last one. Combiner 0 is one that is not told of. */
static long described(long result, int combiner, const uint64_t *a, int last)
{
    struct described *d = result ? NULL : calloc(1, sizeof *d);
    if (!d)
        return result;
    *d = (struct described){.handle = *(const int *)a[last], .combiner = combiner, .next = described_types};
    described_types = d;
    int n = (int)a[combiner == COMBINER_DARRAY ? 2 : 0];
    switch (combiner) {
    case COMBINER_DUP:
        add_types(d, 1, &(int){(int)a[0]});
        break;
    case COMBINER_RESIZED:
        add_addresses(d, 2, (const long *)&a[1]);
        add_types(d, 1, &(int){(int)a[0]});
        break;
    case COMBINER_CONTIGUOUS:
        add_integer(d, a[0]);
        add_types(d, 1, &(int){(int)a[1]});
        break;
    case COMBINER_VECTOR:
    case COMBINER_HVECTOR:
        add_integer(d, a[0]);
        add_integer(d, a[1]);
        if (combiner == COMBINER_VECTOR)
            add_integer(d, a[2]);
        else
            add_addresses(d, 1, (const long *)&a[2]);
        add_types(d, 1, &(int){(int)a[3]});
        break;
    case COMBINER_INDEXED:
    case COMBINER_HINDEXED:
    case COMBINER_STRUCT:
        add_integer(d, a[0]);
        add_integers(d, n, (const int *)a[1]);
        if (combiner == COMBINER_INDEXED)
            add_integers(d, n, (const int *)a[2]);
        else
            add_addresses(d, n, (const long *)a[2]);
        if (combiner == COMBINER_STRUCT)
            add_types(d, n, (const int *)a[3]);
        else
            add_types(d, 1, &(int){(int)a[3]});
        break;
    case COMBINER_INDEXED_BLOCK:
    case COMBINER_HINDEXED_BLOCK:
        add_integer(d, a[0]);
        add_integer(d, a[1]);
        if (combiner == COMBINER_INDEXED_BLOCK)
            add_integers(d, n, (const int *)a[2]);
        else
            add_addresses(d, n, (const long *)a[2]);
        add_types(d, 1, &(int){(int)a[3]});
        break;
    case COMBINER_SUBARRAY:
        add_integer(d, a[0]);
        for (int i = 1; i <= 3; i++)
            add_integers(d, n, (const int *)a[i]);
        add_integer(d, a[4]);
        add_types(d, 1, &(int){(int)a[5]});
        break;
    case COMBINER_DARRAY:
        for (int i = 0; i < 3; i++)
            add_integer(d, a[i]);
        for (int i = 3; i <= 6; i++)
            add_integers(d, n, (const int *)a[i]);
        add_integer(d, a[7]);
        add_types(d, 1, &(int){(int)a[8]});
        break;
    }
    return result;
}

int MPI_Type_get_envelope(int type, int *integers, int *addresses, int *types, int *combiner)
{
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    if (d && !d->combiner)
        return (int)call(NUMBER_MPI_Type_get_envelope, (uint64_t[]){(uint32_t)type}, 1, site);
    /* Whether it is a datatype is for the rules to say. */
    int size;
    long err = through_MPI_Type_size(site, (uint32_t)type, (uint64_t)&size);
    *integers = d ? d->integers : 0;
    *addresses = d ? d->addresses : 0;
    *types = d ? d->types : 0;
    *combiner = d ? d->combiner : COMBINER_NAMED;
    return (int)err;
}

int MPI_Type_get_contents(int type, int integers, int addresses, int types, int *integer, long *address, int *made)
{
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    int is_told = d && d->combiner && d->integers <= integers && d->addresses <= addresses && d->types <= types;
    for (int i = 0; is_told && i < d->types; i++) {
        struct described *part = description_of(d->type[i]);
        is_told = !part || !part->freed;
    }
    if (!is_told)
        return (int)call(NUMBER_MPI_Type_get_contents, (uint64_t[]){(uint32_t)type}, 1, site);
    int size;
    long err = through_MPI_Type_size(site, (uint32_t)type, (uint64_t)&size);
    if (d->integers)
        memcpy(integer, d->integer, sizeof(int) * (size_t)d->integers);
    if (d->addresses)
        memcpy(address, d->address, sizeof(long) * (size_t)d->addresses);
    for (int i = 0; i < d->types && !err; i++) {
        struct described *part = description_of(d->type[i]);
        made[i] = d->type[i];
        if (!part)
            continue;
        /* One that a program has made is a further handle, which it frees, and is told of as the one it was made of. */
        err = through_MPI_Type_dup(site, (uint32_t)d->type[i], (uint64_t)&made[i]);
        struct described *copy = err ? NULL : malloc(sizeof *copy);
        if (copy) {
            *copy = *part;
            copy->handle = made[i], copy->next = described_types;
            described_types = copy;
        }
    }
    return (int)err;
}

static void undescribed(int handle)
{
    struct described *d = description_of(handle);
    if (d)
        d->freed = 1;
}
