/* Functions of the program's own that MPI calls in the process that gave them: those that copy and delete attributes, and error handlers. No
 * other process sees them, so they are kept and called here; keys whose functions are MPI's own are the rules'. */

enum { OWN_KEY = (int)0xa4080000, KEY_INVALID = 0x24000000 };
enum kind { OF_COMM, OF_TYPE, OF_WIN };

typedef int copier(int object, int key, void *extra, void *value, void *copy, int *flag);
typedef int deleter(int object, int key, void *value, void *extra);
/* What calls such functions of another language: MPICH's libraries for Fortran and C++ bring it. */
typedef int copier_by(copier *function, int object, int key, void *extra, int type, void *value, void **copy, int *flag);
typedef int deleter_by(deleter *function, int object, int key, int type, void *value, void *extra);

/* MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN and MPI_WIN_DUP_FN. */
int MPIR_Dup_fn(int object, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)object, (void)key, (void)extra;
    *(void **)copy = value;
    *flag = 1;
    return 0;
}

static struct key {
    int live;
    enum kind kind;
    copier *copy;
    deleter *delete;
    void *extra;
    copier_by *copy_by;
    deleter_by *delete_by;
} *keys;
static int nkeys;

/* Attributes, the youngest first: so they are deleted (MPI-4.1 11.4.1 asks that of MPI_COMM_SELF's). */
static struct attribute {
    enum kind kind;
    int object, key;
    void *value;
    struct attribute *next;
} *attributes;

/* A key of this kind of object that has functions of the program; no other one. */
static struct key *own_key(enum kind kind, int handle)
{
    unsigned i = (unsigned)handle - (unsigned)OWN_KEY;
    return i < (unsigned)nkeys && keys[i].kind == kind ? &keys[i] : NULL;
}

static int copy_by(const struct key *key, int object, int handle, void *value, void **copy, int *flag);
static int delete_by(const struct key *key, int object, int handle, void *value);

static int new_key(enum kind kind, copier *copy, deleter *delete, int *handle, void *extra)
{
    struct key *more = grown(keys, nkeys, sizeof *keys);
    if (!more)
        return ERR_OTHER;
    keys = more;
    keys[nkeys] = (struct key){1, kind, copy, delete, extra, NULL, NULL};
    *handle = OWN_KEY + nkeys++;
    return 0;
}

/* A key that is freed works on where attributes are: until the last one is deleted it is there, and may be freed again (MPI-4.1 7.7.2). */
static int is_key(enum kind kind, int handle)
{
    struct key *key = own_key(kind, handle);
    struct attribute *at = attributes;
    while (at && (at->kind != kind || at->key != handle))
        at = at->next;
    return key && (key->live || at);
}
static int free_key(enum kind kind, int *handle)
{
    own_key(kind, *handle)->live = 0;
    *handle = KEY_INVALID;
    return 0;
}

static struct attribute **place_of(enum kind kind, int object, int key)
{
    struct attribute **at = &attributes;
    while (*at && ((*at)->kind != kind || (*at)->object != object || (*at)->key != key))
        at = &(*at)->next;
    return at;
}

static int delete_at(struct attribute **at)
{
    struct attribute *old = *at;
    struct key *key = own_key(old->kind, old->key);
    int err = key->delete ? delete_by(key, old->object, old->key, old->value) : 0;
    if (err)
        return err;
    /* The function may have changed the list. */
    at = place_of(old->kind, old->object, old->key);
    if (*at == old) {
        *at = old->next;
        free(old);
    }
    return 0;
}

static int set_attribute(enum kind kind, int object, int key, void *value)
{
    struct attribute **at = place_of(kind, object, key);
    int err = *at ? delete_at(at) : 0;
    if (err)
        return err;
    struct attribute *new = malloc(sizeof *new);
    if (!new)
        return ERR_OTHER;
    *new = (struct attribute){kind, object, key, value, attributes};
    attributes = new;
    return 0;
}

static int get_attribute(enum kind kind, int object, int key, void *value, int *flag)
{
    struct attribute *at = *place_of(kind, object, key);
    *flag = at != NULL;
    if (at)
        *(void **)value = at->value;
    return 0;
}

static int delete_attribute(enum kind kind, int object, int key)
{
    struct attribute **at = place_of(kind, object, key);
    return *at ? delete_at(at) : ERR_OTHER;
}

static int copy_attributes(enum kind kind, int from, int to)
{
    for (struct attribute *at = attributes; at; at = at->next) {
        struct key *key = own_key(at->kind, at->key);
        if (at->kind != kind || at->object != from || !key->copy)
            continue;
        int flag = 0;
        void *copy = NULL;
        int err = copy_by(key, from, at->key, at->value, &copy, &flag);
        if (err)
            return err;
        if (flag)
            set_attribute(kind, to, at->key, copy);
    }
    return 0;
}

static int delete_attributes(enum kind kind, int object)
{
    for (;;) {
        struct attribute **at = &attributes;
        while (*at && ((*at)->kind != kind || (*at)->object != object))
            at = &(*at)->next;
        if (!*at)
            return 0;
        int err = delete_at(at);
        if (err)
            return err;
    }
}

/* Attributes of objects whose handles are for the rules to look at. */
static long set_on(enum kind kind, int object, int key, void *value, const void *site)
{
    long err = there(object, site);
    return err ? err : set_attribute(kind, object, key, value);
}
static long get_of(enum kind kind, int object, int key, void *value, int *flag, const void *site)
{
    long err = there(object, site);
    return err ? err : get_attribute(kind, object, key, value, flag);
}
static long delete_of(enum kind kind, int object, int key, const void *site)
{
    long err = there(object, site);
    return err ? err : delete_attribute(kind, object, key);
}

/* An error of this class that the library has found in a call: the rules say whether it ends the program, which is told of the function. */
static long failed(uint32_t function, int comm, int class, const void *site)
{
    call(function, (uint64_t[]){(uint32_t)comm, (uint32_t)class}, 2, site);
    return raised(class, comm);
}

/* A function of the program that copies or deletes an attribute has failed: the call that made it do so is erroneous (MPI-4.1 7.7.2), which the error
 * handler of the communicator is told. */
static long has_failed(int comm, long err, const void *site)
{
    if (err)
        through_MPI_Comm_call_errhandler(site, (uint32_t)comm, ERR_OTHER);
    return err;
}

/* Communicators. Whether one is valid is for the rules to say. */
static long valid(int comm, const void *site)
{
    int flag;
    return through_MPI_Comm_test_inter(site, (uint32_t)comm, (uint64_t)&flag);
}
static long create_keyval(copier *copy, deleter *delete, int *key, void *extra, const void *site)
{
    if ((!copy || copy == MPIR_Dup_fn) && !delete)
        return through_MPI_Comm_create_keyval(site, copy != NULL, 0, (uint64_t)key, (uint64_t)extra);
    return new_key(OF_COMM, copy, delete, key, extra);
}
int MPI_Comm_create_keyval(copier *copy, deleter *delete, int *key, void *extra)
{
    NEEDED(MPI_Comm_create_keyval, key);
    return (int)create_keyval(copy, delete, key, extra, __builtin_return_address(0));
}
int MPI_Keyval_create(copier *copy, deleter *delete, int *key, void *extra)
{
    NEEDED(MPI_Keyval_create, key);
    return (int)create_keyval(copy, delete, key, extra, __builtin_return_address(0));
}
static long free_keyval(int *key, const void *site)
{
    return is_key(OF_COMM, *key) ? free_key(OF_COMM, key) : through_MPI_Comm_free_keyval(site, (uint64_t)key);
}
int MPI_Comm_free_keyval(int *key)
{
    NEEDED(MPI_Comm_free_keyval, key);
    return (int)free_keyval(key, __builtin_return_address(0));
}
int MPI_Keyval_free(int *key)
{
    NEEDED(MPI_Keyval_free, key);
    return (int)free_keyval(key, __builtin_return_address(0));
}

static long set_attr(int comm, int key, void *value, const void *site)
{
    if (!own_key(OF_COMM, key) || !own_key(OF_COMM, key)->live)
        return through_MPI_Comm_set_attr(site, (uint32_t)comm, (uint32_t)key, (uint64_t)value);
    long err = valid(comm, site);
    return err ? err : has_failed(comm, set_attribute(OF_COMM, comm, key, value), site);
}
int MPI_Comm_set_attr(int comm, int key, void *value) { return (int)set_attr(comm, key, value, __builtin_return_address(0)); }
int MPI_Attr_put(int comm, int key, void *value) { return (int)set_attr(comm, key, value, __builtin_return_address(0)); }

static long delete_attr(int comm, int key, const void *site)
{
    if (!own_key(OF_COMM, key))
        return through_MPI_Comm_delete_attr(site, (uint32_t)comm, (uint32_t)key);
    long err = valid(comm, site);
    if (err || !*place_of(OF_COMM, comm, key))
        return err ? err : ERR_OTHER;
    return has_failed(comm, delete_attribute(OF_COMM, comm, key), site);
}
int MPI_Comm_delete_attr(int comm, int key) { return (int)delete_attr(comm, key, __builtin_return_address(0)); }
int MPI_Attr_delete(int comm, int key) { return (int)delete_attr(comm, key, __builtin_return_address(0)); }

static long comm_get_attr(int comm, int key, void *value, int *flag, const void *site)
{
    if (!own_key(OF_COMM, key))
        return get_attr(comm, key, value, flag, site);
    long err = valid(comm, site);
    return err ? err : get_attribute(OF_COMM, comm, key, value, flag);
}
int MPI_Comm_get_attr(int comm, int key, void *value, int *flag)
{
    NEEDED(MPI_Comm_get_attr, value, flag);
    return (int)comm_get_attr(comm, key, value, flag, __builtin_return_address(0));
}
int MPI_Attr_get(int comm, int key, void *value, int *flag)
{
    NEEDED(MPI_Attr_get, value, flag);
    return (int)comm_get_attr(comm, key, value, flag, __builtin_return_address(0));
}
/* Weights of the edges of a distributed graph: each process knows those of its own edges (MPI-4.1 8.5.4). */
static struct weights {
    int comm, n[2], *weight[2];
} *weights;
static int nweights;
static struct weights *weights_of(int comm)
{
    for (int i = 0; i < nweights; i++)
        if (weights[i].comm == comm)
            return &weights[i];
    return NULL;
}
static int keep_weights(int comm, int ins, const int *in, int outs, const int *out)
{
    struct weights *more = grown(weights, nweights, sizeof *weights), new = {comm, {ins, outs}, {NULL, NULL}};
    const int *of[2] = {in, out};
    if (!more)
        return ERR_OTHER;
    weights = more;
    for (int i = 0; i < 2; i++) {
        new.weight[i] = calloc((size_t)new.n[i] + 1, sizeof(int));
        if (!new.weight[i])
            return ERR_OTHER;
        memcpy(new.weight[i], of[i], (size_t)new.n[i] * sizeof(int));
    }
    weights[nweights++] = new;
    return 0;
}
int MPI_Dist_graph_create_adjacent(int comm, int ins, const int *sources, const int *in, int outs, const int *destinations, const int *out, int info,
                                   int reorder, int *made)
{
    const void *site = __builtin_return_address(0);
    /* Of a process without neighbours on one side nobody looks at weights there. */
    int has_in = in != MPI_UNWEIGHTED, has_out = out != MPI_UNWEIGHTED;
    if (!has_in && !has_out)
        return (int)through_MPI_Dist_graph_create_adjacent(site, (uint32_t)comm, (uint32_t)ins, (uint64_t)sources, (uint64_t)in, (uint32_t)outs,
                                                           (uint64_t)destinations, (uint64_t)out, (uint32_t)info, (uint32_t)reorder, (uint64_t)made);
    long err = through_weighted_graph(site, (uint32_t)comm, (uint32_t)ins, (uint64_t)sources, (uint32_t)(has_in ? ins : 0), (uint64_t)in,
                                      (uint32_t)outs, (uint64_t)destinations, (uint32_t)(has_out ? outs : 0), (uint64_t)out, (uint64_t)made);
    return err ? (int)err : keep_weights(*made, ins, in, outs, out);
}
/* The weights of a process's neighbours on one side, in their order: of several edges with one, in the order in which they were given. Of an edge
 * that is given, its ends and its weight stand here. */
static void find_weights(int rank, int n, const int *neighbour, int *weight, int edges, const int (*edge)[3], int side)
{
    char *taken = calloc((size_t)edges + 1, 1);
    if (!taken)
        give_up("there is no memory for a graph");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < edges; k++)
            if (!taken[k] && edge[k][side] == neighbour[i] && edge[k][1 - side] == rank) {
                taken[k] = 1, weight[i] = edge[k][2];
                break;
            }
    free(taken);
}
/* A process may give weights of others' edges: they go to all, as the call waits for all, and each takes its own. */
static long spread_weights(int comm, int n, const int *sources, const int *degrees, const int *destinations, const int *weight, int made, const void *site)
{
    enum { INT = 0x4c000405 };
    int size = 0, rank = 0, own = 0, all = 0, ins = 0, outs = 0, is_weighted;
    long err = through_MPI_Comm_size(site, (uint32_t)comm, (uint64_t)&size);
    err = err ? err : through_MPI_Comm_rank(site, (uint32_t)made, (uint64_t)&rank);
    for (int i = 0; i < n; i++)
        own += degrees[i];
    int *count = calloc((size_t)size + 1, sizeof *count), *place = calloc((size_t)size + 1, sizeof *place), (*edge)[3] = calloc((size_t)own + 1, sizeof *edge);
    if (!count || !place || !edge)
        give_up("there is no memory for a graph");
    for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < degrees[i]; j++, k++)
            edge[k][0] = sources[i], edge[k][1] = destinations[k], edge[k][2] = weight[k];
    own *= 3;
    err = err ? err : through_MPI_Allgather(site, (uint64_t)&own, 1, INT, (uint64_t)count, 1, INT, (uint32_t)comm);
    for (int i = 0; i < size; i++)
        place[i] = all, all += count[i];
    int (*every)[3] = calloc((size_t)all / 3 + 1, sizeof *every);
    if (!every)
        give_up("there is no memory for a graph");
    err = err ? err : through_MPI_Allgatherv(site, (uint64_t)edge, (uint32_t)own, INT, (uint64_t)every, (uint64_t)count, (uint64_t)place, INT, (uint32_t)comm);
    err = err ? err : through_MPI_Dist_graph_neighbors_count(site, (uint32_t)made, (uint64_t)&ins, (uint64_t)&outs, (uint64_t)&is_weighted);
    int *in = calloc(2 * (size_t)ins + 1, sizeof *in), *out = calloc(2 * (size_t)outs + 1, sizeof *out);
    if (!in || !out)
        give_up("there is no memory for a graph");
    err = err ? err : through_MPI_Dist_graph_neighbors(site, (uint32_t)made, (uint32_t)ins, (uint64_t)in, (uint64_t)(in + ins), (uint32_t)outs, (uint64_t)out,
                                                       (uint64_t)(out + outs));
    if (!err) {
        find_weights(rank, ins, in, in + ins, all / 3, (const int (*)[3])every, 0);
        find_weights(rank, outs, out, out + outs, all / 3, (const int (*)[3])every, 1);
        err = keep_weights(made, ins, in + ins, outs, out + outs);
    }
    free(count), free(place), free(edge), free(every), free(in), free(out);
    return err;
}
int MPI_Dist_graph_create(int comm, int n, const int *sources, const int *degrees, const int *destinations, const int *weight, int info, int reorder,
                          int *made)
{
    const void *site = __builtin_return_address(0);
    if (weight == MPI_UNWEIGHTED)
        return (int)through_MPI_Dist_graph_create(site, (uint32_t)comm, (uint32_t)n, (uint64_t)sources, (uint64_t)degrees, (uint64_t)destinations,
                                                  (uint64_t)weight, (uint32_t)info, (uint32_t)reorder, (uint64_t)made);
    long err = through_weighted_edges(site, (uint32_t)comm, (uint32_t)n, (uint64_t)sources, (uint64_t)degrees, (uint64_t)destinations, (uint64_t)weight,
                                      (uint64_t)made);
    return err ? (int)err : (int)spread_weights(comm, n, sources, degrees, destinations, weight, *made, site);
}
int MPI_Dist_graph_neighbors_count(int comm, int *ins, int *outs, int *weighted)
{
    long err = through_MPI_Dist_graph_neighbors_count(__builtin_return_address(0), (uint32_t)comm, (uint64_t)ins, (uint64_t)outs, (uint64_t)weighted);
    if (!err && weights_of(comm))
        *weighted = 1;
    return (int)err;
}
int MPI_Dist_graph_neighbors(int comm, int ins, int *sources, int *in, int outs, int *destinations, int *out)
{
    long err = through_MPI_Dist_graph_neighbors(__builtin_return_address(0), (uint32_t)comm, (uint32_t)ins, (uint64_t)sources, (uint64_t)in,
                                                (uint32_t)outs, (uint64_t)destinations, (uint64_t)out);
    struct weights *w = err ? NULL : weights_of(comm);
    if (w && in != MPI_UNWEIGHTED)
        memcpy(in, w->weight[0], (size_t)(ins < w->n[0] ? ins : w->n[0]) * sizeof(int));
    if (w && out != MPI_UNWEIGHTED)
        memcpy(out, w->weight[1], (size_t)(outs < w->n[1] ? outs : w->n[1]) * sizeof(int));
    return (int)err;
}

/* What a duplicate takes over that the rules do not know of. */
static int copy_all(int comm, int copy)
{
    struct weights *w = weights_of(comm);
    int err = w ? keep_weights(copy, w->n[0], w->weight[0], w->n[1], w->weight[1]) : 0;
    return err ? err : copy_attributes(OF_COMM, comm, copy);
}
/* A duplicate whose attributes cannot be copied is none: the function that copies them has failed (MPI-4.1 7.7.2). */
static long copied(int comm, int *copy, int is_made, const void *site)
{
    int err = copy_all(comm, *copy);
    if (err && is_made)
        through_MPI_Comm_free(site, (uint64_t)copy);
    if (err)
        *copy = COMM_NULL;
    return has_failed(comm, err, site);
}
static long comm_dup(int comm, int *copy, const void *site)
{
    long err = through_MPI_Comm_dup(site, (uint32_t)comm, (uint64_t)copy);
    return err ? err : copied(comm, copy, 1, site);
}
int MPI_Comm_dup(int comm, int *copy)
{
    NEEDED(MPI_Comm_dup, copy);
    return (int)comm_dup(comm, copy, __builtin_return_address(0));
}
int MPI_Comm_dup_with_info(int comm, int info, int *copy)
{
    NEEDED(MPI_Comm_dup_with_info, copy);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Comm_dup_with_info(site, (uint32_t)comm, (uint32_t)info, (uint64_t)copy);
    err = err ? err : copied(comm, copy, 1, site);
    return (int)(err ? err : promise(*copy, info, site));
}
/* The copy's handle is there at once, and its attributes are those of now (MPI-4.1 7.4.2). */
static long comm_idup(int comm, int *copy, int *request, const void *site)
{
    long err = through_MPI_Comm_idup(site, (uint32_t)comm, (uint64_t)copy, (uint64_t)request);
    /* What is being made cannot be freed yet. */
    return err ? err : copied(comm, copy, 0, site);
}
int MPI_Comm_idup(int comm, int *copy, int *request)
{
    NEEDED(MPI_Comm_idup, copy, request);
    return (int)comm_idup(comm, copy, request, __builtin_return_address(0));
}
int MPI_Comm_idup_with_info(int comm, int info, int *copy, int *request)
{
    NEEDED(MPI_Comm_idup_with_info, copy, request);
    const void *site = __builtin_return_address(0);
    long err = comm_idup(comm, copy, request, site);
    return (int)(err ? err : promise(*copy, info, site));
}
static long comm_free(int *comm, const void *site)
{
    long err = has_failed(*comm, delete_attributes(OF_COMM, *comm), site);
    return err ? err : through_MPI_Comm_free(site, (uint64_t)comm);
}
int MPI_Comm_free(int *comm)
{
    NEEDED(MPI_Comm_free, comm);
    return (int)comm_free(comm, __builtin_return_address(0));
}
int MPI_Comm_disconnect(int *comm)
{
    NEEDED(MPI_Comm_disconnect, comm);
    const void *site = __builtin_return_address(0);
    long err = has_failed(*comm, delete_attributes(OF_COMM, *comm), site);
    return (int)(err ? err : through_MPI_Comm_disconnect(site, (uint64_t)comm));
}
static void count_what_is_left(void);
int MPI_Finalize(void)
{
    delete_attributes(OF_COMM, COMM_SELF);
    delete_attributes(OF_COMM, COMM_WORLD);
    count_what_is_left();
    return (int)through_MPI_Finalize(__builtin_return_address(0));
}

/* Datatypes and windows. What is wrong with a key is found here; whether that ends the program is for the rules to say. */
static long wrong_key(uint32_t function, int comm, const void *site)
{
    enum { ERR_KEYVAL = 48 };
    return failed(function, comm, ERR_KEYVAL, site);
}
#define KEYED_AT(function, kind, key, then, site) return is_key(kind, key) ? (then) : wrong_key(NUMBER_##function, COMM_WORLD, site)
#define KEYED(function, kind, key, then) return is_key(kind, key) ? (int)(then) : (int)wrong_key(NUMBER_##function, COMM_WORLD, __builtin_return_address(0))
int MPI_Type_create_keyval(copier *copy, deleter *delete, int *key, void *extra)
{
    NEEDED(MPI_Type_create_keyval, key);
    return new_key(OF_TYPE, copy, delete, key, extra);
}
int MPI_Type_free_keyval(int *key)
{
    NEEDED(MPI_Type_free_keyval, key);
    KEYED(MPI_Type_free_keyval, OF_TYPE, *key, free_key(OF_TYPE, key));
}
static long type_set_attr(int type, int key, void *value, const void *site)
{
    KEYED_AT(MPI_Type_set_attr, OF_TYPE, key, set_on(OF_TYPE, type, key, value, site), site);
}
int MPI_Type_set_attr(int type, int key, void *value) { return (int)type_set_attr(type, key, value, __builtin_return_address(0)); }
static long type_get_attr(int type, int key, void *value, int *flag, const void *site)
{
    KEYED_AT(MPI_Type_get_attr, OF_TYPE, key, get_of(OF_TYPE, type, key, value, flag, site), site);
}
int MPI_Type_get_attr(int type, int key, void *value, int *flag)
{
    NEEDED(MPI_Type_get_attr, value, flag);
    return (int)type_get_attr(type, key, value, flag, __builtin_return_address(0));
}
int MPI_Type_delete_attr(int type, int key)
{
    KEYED(MPI_Type_delete_attr, OF_TYPE, key, delete_of(OF_TYPE, type, key, __builtin_return_address(0)));
}
int MPI_Type_dup(int type, int *copy)
{
    NEEDED(MPI_Type_dup, copy);
    uint64_t a[] = {(uint32_t)type, (uint64_t)copy};
    long err = described(through_MPI_Type_dup(__builtin_return_address(0), a[0], a[1]), COMBINER_DUP, a, 1);
    err = err ? err : has_failed(COMM_WORLD, copy_attributes(OF_TYPE, type, *copy), __builtin_return_address(0));
    if (err && *copy != DATATYPE_NULL)
        through_MPI_Type_free(__builtin_return_address(0), (uint64_t)copy);
    return (int)err;
}
int MPI_Type_free(int *type)
{
    NEEDED(MPI_Type_free, type);
    long err = has_failed(COMM_WORLD, delete_attributes(OF_TYPE, *type), __builtin_return_address(0));
    undescribed(*type);
    return err ? (int)err : (int)through_MPI_Type_free(__builtin_return_address(0), (uint64_t)type);
}
int MPI_Win_create_keyval(copier *copy, deleter *delete, int *key, void *extra)
{
    NEEDED(MPI_Win_create_keyval, key);
    return new_key(OF_WIN, copy, delete, key, extra);
}
int MPI_Win_free_keyval(int *key)
{
    NEEDED(MPI_Win_free_keyval, key);
    KEYED(MPI_Win_free_keyval, OF_WIN, *key, free_key(OF_WIN, key));
}
static long win_set_attr(int win, int key, void *value, const void *site)
{
    KEYED_AT(MPI_Win_set_attr, OF_WIN, key, set_on(OF_WIN, win, key, value, site), site);
}
int MPI_Win_set_attr(int win, int key, void *value) { return (int)win_set_attr(win, key, value, __builtin_return_address(0)); }
int MPI_Win_delete_attr(int win, int key)
{
    KEYED(MPI_Win_delete_attr, OF_WIN, key, delete_of(OF_WIN, win, key, __builtin_return_address(0)));
}
int MPI_Win_free(int *win)
{
    NEEDED(MPI_Win_free, win);
    long err = has_failed(COMM_WORLD, delete_attributes(OF_WIN, *win), __builtin_return_address(0));
    return err ? (int)err : (int)through_MPI_Win_free(__builtin_return_address(0), (uint64_t)win);
}
static long win_get_attr(int win, int key, void *value, int *flag, const void *site)
{
    return is_key(OF_WIN, key) ? get_of(OF_WIN, win, key, value, flag, site) : window_attr(win, key, value, flag, site);
}
int MPI_Win_get_attr(int win, int key, void *value, int *flag)
{
    NEEDED(MPI_Win_get_attr, value, flag);
    return (int)win_get_attr(win, key, value, flag, __builtin_return_address(0));
}

/* Error handlers. Where one of the program's own is set, the rules return errors, and it is called here. */
enum { OWN_HANDLER = (int)0x94080000, ERRORS_RETURN = 0x54000001, ERRORS_ARE_FATAL = 0x54000000, ERRORS_THROW = 0x54000002 /* of C++ */, HANDLER_NULL = 0x14000000 };
typedef void handler(int *object, int *err, ...);
/* One of C++ is called by what the library for C++ brings. */
typedef void handler_by(int kind, int *object, int *err, handler *function);
static struct error_handler {
    handler *function;
    handler_by *by;
    int is_freed;
} *handlers;
static int nhandlers;
static struct handled {
    enum kind kind;
    int object, handler;
    struct handled *next;
} *handled;

static int own_handler(int handle) { return (unsigned)handle - (unsigned)OWN_HANDLER < (unsigned)nhandlers; }
static struct handled *handled_by(enum kind kind, int object)
{
    struct handled *h = handled;
    while (h && (h->kind != kind || h->object != object))
        h = h->next;
    return h;
}
static void handle_by(enum kind kind, int object, int handle)
{
    struct handled *h = handled_by(kind, object);
    if (!h && (h = malloc(sizeof *h)))
        *h = (struct handled){kind, object, 0, handled}, handled = h;
    if (h)
        h->handler = handle;
}
static int new_handler(handler *f, int *handle)
{
    struct error_handler *more = grown(handlers, nhandlers, sizeof *handlers);
    if (!more)
        return ERR_OTHER;
    handlers = more;
    handlers[nhandlers] = (struct error_handler){f, NULL, 0};
    *handle = OWN_HANDLER + nhandlers++;
    return 0;
}
static void handle_error(enum kind kind, int handle, int *object, int *err)
{
    struct error_handler h = handlers[handle - OWN_HANDLER];
    if (h.by)
        h.by(kind == OF_COMM ? 0 : 2, object, err, h.function);
    else
        h.function(object, err);
}
void MPII_Errhandler_set_cxx(int handle, void (*by)(void))
{
    if (own_handler(handle))
        handlers[handle - OWN_HANDLER].by = (handler_by *)by;
}
static long raised(long result, int comm)
{
    int err = (int)result;
    struct handled *h = err ? handled_by(OF_COMM, comm) : NULL;
    if (h && own_handler(h->handler))
        handle_error(OF_COMM, h->handler, &comm, &err);
    return result;
}
/* A new communicator has the handler of the one that it was made from (MPI-4.1 9.3). */
static long inherits(long result, int comm, const int *made)
{
    struct handled *h = result ? NULL : handled_by(OF_COMM, comm);
    if (h)
        handle_by(OF_COMM, *made, h->handler);
    return raised(result, comm);
}
int MPI_Comm_create_errhandler(handler *f, int *handle)
{
    NEEDED(MPI_Comm_create_errhandler, handle);
    return new_handler(f, handle);
}
int MPI_Errhandler_create(handler *f, int *handle)
{
    NEEDED(MPI_Errhandler_create, handle);
    return new_handler(f, handle);
}
int MPI_Win_create_errhandler(handler *f, int *handle)
{
    NEEDED(MPI_Win_create_errhandler, handle);
    return new_handler(f, handle);
}
static long set_handler(int comm, int handle, const void *site)
{
    int own = own_handler(handle);
    long err = through_MPI_Comm_set_errhandler(site, (uint32_t)comm, (uint32_t)(own ? ERRORS_RETURN : handle));
    if (!err)
        handle_by(OF_COMM, comm, handle);
    return err;
}
int MPI_Comm_set_errhandler(int comm, int handle) { return (int)set_handler(comm, handle, __builtin_return_address(0)); }
int MPI_Errhandler_set(int comm, int handle) { return (int)set_handler(comm, handle, __builtin_return_address(0)); }
static long get_handler(int comm, int *handle, const void *site)
{
    struct handled *h = handled_by(OF_COMM, comm);
    if (!h || !(own_handler(h->handler) || h->handler == ERRORS_THROW))
        return through_MPI_Comm_get_errhandler(site, (uint32_t)comm, (uint64_t)handle);
    *handle = h->handler;
    return 0;
}
int MPI_Comm_get_errhandler(int comm, int *handle)
{
    NEEDED(MPI_Comm_get_errhandler, handle);
    return (int)get_handler(comm, handle, __builtin_return_address(0));
}
int MPI_Errhandler_get(int comm, int *handle)
{
    NEEDED(MPI_Errhandler_get, handle);
    return (int)get_handler(comm, handle, __builtin_return_address(0));
}
int MPI_Errhandler_free(int *handle)
{
    NEEDED(MPI_Errhandler_free, handle);
    if (!own_handler(*handle))
        return (int)through_MPI_Errhandler_free(__builtin_return_address(0), (uint64_t)handle);
    handlers[*handle - OWN_HANDLER].is_freed = 1;
    *handle = HANDLER_NULL;
    return 0;
}
int MPI_Comm_call_errhandler(int comm, int err)
{
    struct handled *h = handled_by(OF_COMM, comm);
    if (!h || !own_handler(h->handler))
        return (int)through_MPI_Comm_call_errhandler(__builtin_return_address(0), (uint32_t)comm, (uint32_t)err);
    handle_error(OF_COMM, h->handler, &comm, &err);
    return 0;
}
/* No file is ever opened. The handler of none is that of files to come (MPI-4.1 9.3), which C++ sets in every program. */
static int files_to_come = ERRORS_RETURN;
int MPI_File_create_errhandler(handler *f, int *handle)
{
    NEEDED(MPI_File_create_errhandler, handle);
    return new_handler(f, handle);
}
int MPI_File_set_errhandler(void *file, int handle)
{
    if (file)
        return (int)through_MPI_File_set_errhandler(__builtin_return_address(0), (uint64_t)file, (uint32_t)handle);
    files_to_come = handle;
    return 0;
}
int MPI_File_get_errhandler(void *file, int *handle)
{
    if (file)
        return (int)through_MPI_File_get_errhandler(__builtin_return_address(0), (uint64_t)file, (uint64_t)handle);
    *handle = files_to_come;
    return 0;
}
static long raised_at(long result, int win)
{
    int err = (int)result;
    struct handled *h = err ? handled_by(OF_WIN, win) : NULL;
    if (h && own_handler(h->handler))
        handle_error(OF_WIN, h->handler, &win, &err);
    return result;
}
int MPI_Win_set_errhandler(int win, int handle)
{
    int own = own_handler(handle);
    long err = through_MPI_Win_set_errhandler(__builtin_return_address(0), (uint32_t)win, (uint32_t)(own ? ERRORS_RETURN : handle));
    if (!err)
        handle_by(OF_WIN, win, handle);
    return (int)err;
}
int MPI_Win_get_errhandler(int win, int *handle)
{
    NEEDED(MPI_Win_get_errhandler, handle);
    struct handled *h = handled_by(OF_WIN, win);
    *handle = h ? h->handler : ERRORS_ARE_FATAL;
    return 0;
}
int MPI_Win_call_errhandler(int win, int err)
{
    struct handled *h = handled_by(OF_WIN, win);
    if (h && own_handler(h->handler))
        handle_error(OF_WIN, h->handler, &win, &err);
    else if (!h || h->handler != ERRORS_RETURN)
        return (int)through_MPI_Abort(__builtin_return_address(0), COMM_WORLD, (uint32_t)err);
    return 0;
}

/* What the program has made and not freed of which the rules know nothing. */
static void count_what_is_left(void)
{
    memset(own.left, 0, sizeof own.left);
    for (int i = 0; i < ninfos; i++)
        own.left[0] += infos[i].live != 0;
    for (int i = 0; i < nkeys; i++)
        own.left[1] += keys[i].live != 0;
    for (int i = 0; i < nhandlers; i++)
        own.left[2] += !handlers[i].is_freed;
    own.left[3] = (uint64_t)npieces;
}
