/* How datatypes were made: what MPI_Type_get_envelope and MPI_Type_get_contents give back (MPI-4.1, section 5.1.13). The rules know what a
 * datatype is, and not by which calls a program has made it. */

struct described {
    int handle, freed, combiner, integers, addresses, types, counts;
    int *integer, *type;
    long *address, *count;
    struct described *next;
};
/* Predefined types without a name: those of Fortran that a precision was asked of. */
enum { UNNAMED = 0x4cf00000 };
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

static void add_counts(struct described *d, int n, const long *from)
{
    long *more = realloc(d->count, sizeof(long) * (size_t)(d->counts + n + 1));
    if (!more)
        give_up("there is no memory for a datatype");
    memcpy(more + d->counts, from, sizeof(long) * (size_t)n);
    d->count = more, d->counts += n;
}

/* The same of a constructor with large counts: what is a number of elements or a place in memory is a large count. */
static void described_large(struct described *d, int combiner, const uint64_t *a, int n)
{
    const long *at = (const long *)a;
    switch (combiner) {
    case COMBINER_RESIZED:
        add_counts(d, 2, at + 1);
        break;
    case COMBINER_CONTIGUOUS:
        add_counts(d, 1, at);
        break;
    case COMBINER_VECTOR:
    case COMBINER_HVECTOR:
        add_counts(d, 3, at);
        break;
    case COMBINER_INDEXED:
    case COMBINER_HINDEXED:
    case COMBINER_STRUCT:
        add_counts(d, 1, at);
        add_counts(d, n, (const long *)a[1]);
        add_counts(d, n, (const long *)a[2]);
        break;
    case COMBINER_INDEXED_BLOCK:
    case COMBINER_HINDEXED_BLOCK:
        add_counts(d, 2, at);
        add_counts(d, n, (const long *)a[2]);
        break;
    case COMBINER_SUBARRAY:
        add_integer(d, a[0]);
        for (int i = 1; i <= 3; i++)
            add_counts(d, n, (const long *)a[i]);
        add_integer(d, a[4]);
        break;
    case COMBINER_DARRAY:
        for (int i = 0; i < 3; i++)
            add_integer(d, a[i]);
        add_counts(d, n, (const long *)a[3]);
        for (int i = 4; i <= 6; i++)
            add_integers(d, n, (const int *)a[i]);
        add_integer(d, a[7]);
        break;
    }
    static const int old[] = {[COMBINER_RESIZED] = 0, [COMBINER_CONTIGUOUS] = 1, [COMBINER_SUBARRAY] = 5, [COMBINER_DARRAY] = 8,
                              [COMBINER_VECTOR] = 3, [COMBINER_HVECTOR] = 3, [COMBINER_INDEXED] = 3, [COMBINER_HINDEXED] = 3,
                              [COMBINER_INDEXED_BLOCK] = 3, [COMBINER_HINDEXED_BLOCK] = 3};
    if (combiner == COMBINER_STRUCT)
        add_types(d, n, (const int *)a[3]);
    else if (combiner)
        add_types(d, 1, &(int){(int)a[old[combiner]]});
}

/* Notes a call that has made a datatype, by its arguments, of which this is the last one. Combiner 0 is one that is not told of. */
static long described(long result, int how, const uint64_t *a, int last)
{
    int combiner = how & ~LARGE;
    struct described *d = result ? NULL : calloc(1, sizeof *d);
    if (!d)
        return result;
    *d = (struct described){.handle = *(const int *)a[last], .combiner = combiner, .next = described_types};
    described_types = d;
    int n = (int)a[combiner == COMBINER_DARRAY ? 2 : 0];
    if (how & LARGE) {
        described_large(d, combiner, a, n);
        return result;
    }
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

/* Whether it is a datatype is for the rules to say. */
static long is_datatype(int type, const void *site)
{
    int size;
    return through_MPI_Type_size(site, (uint32_t)type, (uint64_t)&size);
}
int MPI_Type_get_envelope(int type, int *integers, int *addresses, int *types, int *combiner)
{
    NEEDED(MPI_Type_get_envelope, integers, addresses, types, combiner);
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    /* Large counts have no place here. */
    if (d && (!d->combiner || d->counts))
        return (int)call(NUMBER_MPI_Type_get_envelope, (uint64_t[]){(uint32_t)type}, 1, site);
    *integers = d ? d->integers : 0;
    *addresses = d ? d->addresses : 0;
    *types = d ? d->types : 0;
    *combiner = d ? d->combiner : COMBINER_NAMED;
    return (int)is_datatype(type, site);
}
int MPI_Type_get_envelope_c(int type, long *integers, long *addresses, long *counts, long *types, int *combiner)
{
    NEEDED(MPI_Type_get_envelope_c, integers, addresses, counts, types, combiner);
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    if (d && !d->combiner)
        return (int)call(NUMBER_MPI_Type_get_envelope_c, (uint64_t[]){(uint32_t)type}, 1, site);
    *integers = d ? d->integers : 0;
    *addresses = d ? d->addresses : 0;
    *counts = d ? d->counts : 0;
    *types = d ? d->types : 0;
    *combiner = d ? d->combiner : COMBINER_NAMED;
    return (int)is_datatype(type, site);
}

/* Whether a program can be told of what a datatype was made. */
static int is_told_of(const struct described *d, int types) { return d && d->combiner && d->types <= types; }
/* Which function is called where nothing can be told: of a datatype of which it is known why, the one that the rules speak of. */
static uint32_t untold(int type, const struct described *d)
{
    enum { KIND = (int)0xc0000000, PREDEFINED = 0x40000000 };
    int is_known = d ? d->combiner : (type & KIND) == PREDEFINED || (type & KIND) == 0;
    return is_known ? NUMBER_MPI_Type_get_contents : NUMBER_MPI_Type_get_contents_c;
}
static long contents(const struct described *d, int *integer, long *address, long *count, int *made, const void *site)
{
    long err = is_datatype(d->handle, site);
    if (d->integers)
        memcpy(integer, d->integer, sizeof(int) * (size_t)d->integers);
    if (d->addresses)
        memcpy(address, d->address, sizeof(long) * (size_t)d->addresses);
    if (d->counts)
        memcpy(count, d->count, sizeof(long) * (size_t)d->counts);
    for (int i = 0; i < d->types && !err; i++) {
        struct described *part = description_of(d->type[i]);
        made[i] = d->type[i];
        /* Those of Fortran that a precision was asked of are predefined. */
        if (!part || (part->handle & ~0xfffff) == UNNAMED)
            continue;
        /* One that a program has made is a further handle, which it frees, and is told of as the one it was made of. */
        err = through_type_again(site, (uint32_t)d->type[i], (uint64_t)&made[i]);
        struct described *copy = err ? NULL : malloc(sizeof *copy);
        if (copy) {
            *copy = *part;
            copy->handle = made[i], copy->freed = 0, copy->next = described_types;
            described_types = copy;
        }
    }
    return err;
}
int MPI_Type_get_contents(int type, int integers, int addresses, int types, int *integer, long *address, int *made)
{
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    if (!is_told_of(d, types) || d->counts || integers < d->integers || addresses < d->addresses)
        return (int)call(untold(type, d), (uint64_t[]){(uint32_t)type}, 1, site);
    return (int)contents(d, integer, address, NULL, made, site);
}
int MPI_Type_get_contents_c(int type, long integers, long addresses, long counts, long types, int *integer, long *address, long *count, int *made)
{
    const void *site = __builtin_return_address(0);
    struct described *d = description_of(type);
    if (!is_told_of(d, types < 0x7fffffff ? (int)types : 0x7fffffff) || counts < d->counts || integers < d->integers || addresses < d->addresses)
        return (int)call(untold(type, d), (uint64_t[]){(uint32_t)type}, 1, site);
    return (int)contents(d, integer, address, count, made, site);
}

static void undescribed(int handle)
{
    struct described *d = description_of(handle);
    if (d)
        d->freed = 1;
}

/* Structures, of which MPI_LB and MPI_UB, that MPI-3.0 has taken away, say where an item begins and ends: as MPI_Type_create_resized does. */
static long bounded(int n, const int *lengths, const long *places, const int *types, int *made, const void *site)
{
    int *length = malloc(sizeof(int) * (size_t)(n + 1)), *type = malloc(sizeof(int) * (size_t)(n + 1)), m = 0, whole = 0;
    long *place = malloc(sizeof(long) * (size_t)(n + 1)), bound[2] = {0, 0}, own[2] = {0, 0};
    int is_bounded[2] = {0, 0};
    if (!length || !type || !place)
        give_up("there is no memory for a datatype");
    for (int i = 0; i < n; i++) {
        int upper = types[i] == UPPER_BOUND;
        if (types[i] != LOWER_BOUND && !upper) {
            length[m] = lengths[i], place[m] = places[i], type[m++] = types[i];
        } else if (lengths[i] > 0 && (!is_bounded[upper] || (upper ? places[i] > bound[1] : places[i] < bound[0]))) {
            is_bounded[upper] = 1, bound[upper] = places[i];
        }
    }
    long err = through_MPI_Type_create_struct(site, (uint32_t)m, (uint64_t)length, (uint64_t)place, (uint64_t)type, (uint64_t)&whole);
    if (!err && (is_bounded[0] || is_bounded[1])) {
        err = through_MPI_Type_get_extent(site, (uint32_t)whole, (uint64_t)&own[0], (uint64_t)&own[1]);
        own[1] += own[0];
        for (int i = 0; i < 2; i++)
            own[i] = is_bounded[i] ? bound[i] : own[i];
        err = err ? err : through_MPI_Type_create_resized(site, (uint32_t)whole, (uint64_t)own[0], (uint64_t)(own[1] - own[0]), (uint64_t)made);
        through_MPI_Type_free(site, (uint64_t)&whole);
    } else {
        *made = whole;
    }
    free(length), free(type), free(place);
    return err;
}
static long structure(int n, const int *lengths, const long *places, const int *types, int *made, const void *site)
{
    uint64_t a[] = {(uint32_t)n, (uint64_t)lengths, (uint64_t)places, (uint64_t)types, (uint64_t)made};
    long err = 0;
    int i = 0;
    while (i < n && types[i] != LOWER_BOUND && types[i] != UPPER_BOUND)
        i++;
    err = i < n ? bounded(n, lengths, places, types, made, site) : through_MPI_Type_create_struct(site, a[0], a[1], a[2], a[3], a[4]);
    return described(err, COMBINER_STRUCT, a, 4);
}
int MPI_Type_create_struct(int n, const int *lengths, const long *places, const int *types, int *made)
{
    NEEDED(MPI_Type_create_struct, made);
    if (n > 0)
        NEEDED(MPI_Type_create_struct, lengths, places, types);
    return (int)structure(n, lengths, places, types, made, __builtin_return_address(0));
}
int MPI_Type_struct(int n, const int *lengths, const long *places, const int *types, int *made)
{
    NEEDED(MPI_Type_struct, made);
    if (n > 0)
        NEEDED(MPI_Type_struct, lengths, places, types);
    return (int)structure(n, lengths, places, types, made, __builtin_return_address(0));
}

/* Types of Fortran that a precision and a range are asked of (MPI-4.1 19.1.9): predefined types without a name, committed, and the same for the same
 * question. Their handles say by the number of the rules which type they are. */
static long selected(uint32_t function, int combiner, const int *asked, int n, const int (*types)[3], int ntypes, int *made, const void *site)
{
    static int numbers;
    int i = 0;
    while (i < ntypes && (asked[0] > types[i][0] || (n > 1 && asked[1] > types[i][1])))
        i++;
    if (i == ntypes)
        return failed(function, COMM_WORLD, ERR_ARG, site);
    for (struct described *d = described_types; d; d = d->next)
        if (d->combiner == combiner && d->integers == n && !memcmp(d->integer, asked, sizeof(int) * (size_t)n))
            return *made = d->handle, 0;
    struct described *d = calloc(1, sizeof *d);
    if (!d)
        give_up("there is no memory for a datatype");
    *d = (struct described){.handle = UNNAMED | ++numbers << 8 | types[i][2], .combiner = combiner, .next = described_types};
    add_integers(d, n, asked);
    described_types = d;
    return *made = d->handle, 0;
}
/* A precision or a range of MPI_UNDEFINED is whatever there is; the other one decides. */
static long of_reals(uint32_t function, int combiner, int precision, int range, const int (*types)[3], int *made, const void *site)
{
    return selected(function, combiner, (int[]){precision, range}, 2, types, 3, made, site);
}
int MPI_Type_create_f90_real(int precision, int range, int *made)
{
    NEEDED(MPI_Type_create_f90_real, made);
    static const int types[][3] = {{6, 37, 54}, {15, 307, 55}, {33, 4931, 61}};
    return (int)of_reals(NUMBER_MPI_Type_create_f90_real, COMBINER_F90_REAL, precision, range, types, made, __builtin_return_address(0));
}
int MPI_Type_create_f90_complex(int precision, int range, int *made)
{
    NEEDED(MPI_Type_create_f90_complex, made);
    static const int types[][3] = {{6, 37, 56}, {15, 307, 57}, {33, 4931, 62}};
    return (int)of_reals(NUMBER_MPI_Type_create_f90_complex, COMBINER_F90_COMPLEX, precision, range, types, made, __builtin_return_address(0));
}
int MPI_Type_create_f90_integer(int range, int *made)
{
    NEEDED(MPI_Type_create_f90_integer, made);
    static const int types[][3] = {{2, 0, 50}, {4, 0, 51}, {9, 0, 52}, {18, 0, 53}};
    return (int)selected(NUMBER_MPI_Type_create_f90_integer, COMBINER_F90_INTEGER, &range, 1, types, 4, made, __builtin_return_address(0));
}
