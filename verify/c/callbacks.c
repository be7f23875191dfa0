/* Functions of the program's own that MPI calls in the process that gave them: those that copy and delete attributes, and error handlers. No
 * other process sees them, so they are kept and called here; keys whose functions are MPI's own are the rules'. */

enum { OWN_KEY = (int)0xa4080000, KEY_INVALID = 0x24000000 };
enum kind { OF_COMM, OF_TYPE, OF_WIN };

typedef int copier(int object, int key, void *extra, void *value, void *copy, int *flag);
typedef int deleter(int object, int key, void *value, void *extra);

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

static int new_key(enum kind kind, copier *copy, deleter *delete, int *handle, void *extra)
{
    struct key *more = grown(keys, nkeys, sizeof *keys);
    if (!more)
        return ERR_OTHER;
    keys = more;
    keys[nkeys] = (struct key){1, kind, copy, delete, extra};
    *handle = OWN_KEY + nkeys++;
    return 0;
}

/* A key that is freed works on where attributes are. */
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
    int err = key->delete ? key->delete(old->object, old->key, old->value, key->extra) : 0;
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
        int err = key->copy(from, at->key, key->extra, at->value, &copy, &flag);
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
    return (int)create_keyval(copy, delete, key, extra, __builtin_return_address(0));
}
int MPI_Keyval_create(copier *copy, deleter *delete, int *key, void *extra)
{
    return (int)create_keyval(copy, delete, key, extra, __builtin_return_address(0));
}
static long free_keyval(int *key, const void *site)
{
    return own_key(OF_COMM, *key) && own_key(OF_COMM, *key)->live ? free_key(OF_COMM, key) : through_MPI_Comm_free_keyval(site, (uint64_t)key);
}
int MPI_Comm_free_keyval(int *key) { return (int)free_keyval(key, __builtin_return_address(0)); }
int MPI_Keyval_free(int *key) { return (int)free_keyval(key, __builtin_return_address(0)); }

static long set_attr(int comm, int key, void *value, const void *site)
{
    if (!own_key(OF_COMM, key) || !own_key(OF_COMM, key)->live)
        return through_MPI_Comm_set_attr(site, (uint32_t)comm, (uint32_t)key, (uint64_t)value);
    long err = valid(comm, site);
    return err ? err : set_attribute(OF_COMM, comm, key, value);
}
int MPI_Comm_set_attr(int comm, int key, void *value) { return (int)set_attr(comm, key, value, __builtin_return_address(0)); }
int MPI_Attr_put(int comm, int key, void *value) { return (int)set_attr(comm, key, value, __builtin_return_address(0)); }

static long delete_attr(int comm, int key, const void *site)
{
    if (!own_key(OF_COMM, key))
        return through_MPI_Comm_delete_attr(site, (uint32_t)comm, (uint32_t)key);
    long err = valid(comm, site);
    return err ? err : delete_attribute(OF_COMM, comm, key);
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
    return (int)comm_get_attr(comm, key, value, flag, __builtin_return_address(0));
}
int MPI_Attr_get(int comm, int key, void *value, int *flag)
{
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
    long err = through_MPI_Dist_graph_create_adjacent(__builtin_return_address(0), (uint32_t)comm, (uint32_t)ins, (uint64_t)sources, (uint64_t)in,
                                                      (uint32_t)outs, (uint64_t)destinations, (uint64_t)out, (uint32_t)info, (uint32_t)reorder,
                                                      (uint64_t)made);
    return err || in == MPI_UNWEIGHTED || out == MPI_UNWEIGHTED ? (int)err : keep_weights(*made, ins, in, outs, out);
}
/* A process may give weights of others' edges: no rule speaks of how they come there. */
int MPI_Dist_graph_create(int comm, int n, const int *sources, const int *degrees, const int *destinations, const int *weight, int info, int reorder,
                          int *made)
{
    const void *site = __builtin_return_address(0);
    if (weight != MPI_UNWEIGHTED)
        return (int)through_MPI_Dist_graph_create_weights(site, (uint32_t)comm);
    return (int)through_MPI_Dist_graph_create(site, (uint32_t)comm, (uint32_t)n, (uint64_t)sources, (uint64_t)degrees, (uint64_t)destinations,
                                              (uint64_t)weight, (uint32_t)info, (uint32_t)reorder, (uint64_t)made);
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
static long comm_dup(int comm, int *copy, const void *site)
{
    long err = through_MPI_Comm_dup(site, (uint32_t)comm, (uint64_t)copy);
    return err ? err : copy_all(comm, *copy);
}
int MPI_Comm_dup(int comm, int *copy) { return (int)comm_dup(comm, copy, __builtin_return_address(0)); }
int MPI_Comm_dup_with_info(int comm, int info, int *copy)
{
    (void)info;
    return (int)comm_dup(comm, copy, __builtin_return_address(0));
}
/* The copy's handle is there at once, and its attributes are those of now (MPI-4.1 7.4.2). */
static long comm_idup(int comm, int *copy, int *request, const void *site)
{
    long err = through_MPI_Comm_idup(site, (uint32_t)comm, (uint64_t)copy, (uint64_t)request);
    return err ? err : copy_all(comm, *copy);
}
int MPI_Comm_idup(int comm, int *copy, int *request) { return (int)comm_idup(comm, copy, request, __builtin_return_address(0)); }
int MPI_Comm_idup_with_info(int comm, int info, int *copy, int *request)
{
    (void)info;
    return (int)comm_idup(comm, copy, request, __builtin_return_address(0));
}
static long comm_free(int *comm, const void *site)
{
    int err = delete_attributes(OF_COMM, *comm);
    return err ? err : through_MPI_Comm_free(site, (uint64_t)comm);
}
int MPI_Comm_free(int *comm) { return (int)comm_free(comm, __builtin_return_address(0)); }
int MPI_Comm_disconnect(int *comm) { return (int)comm_free(comm, __builtin_return_address(0)); }
int MPI_Finalize(void)
{
    delete_attributes(OF_COMM, COMM_SELF);
    delete_attributes(OF_COMM, COMM_WORLD);
    return (int)through_MPI_Finalize(__builtin_return_address(0));
}

/* Datatypes and windows. */
int MPI_Type_create_keyval(copier *copy, deleter *delete, int *key, void *extra) { return new_key(OF_TYPE, copy, delete, key, extra); }
int MPI_Type_free_keyval(int *key) { return own_key(OF_TYPE, *key) ? free_key(OF_TYPE, key) : ERR_OTHER; }
int MPI_Type_set_attr(int type, int key, void *value) { return own_key(OF_TYPE, key) ? set_attribute(OF_TYPE, type, key, value) : ERR_OTHER; }
int MPI_Type_get_attr(int type, int key, void *value, int *flag) { return get_attribute(OF_TYPE, type, key, value, flag); }
int MPI_Type_delete_attr(int type, int key) { return own_key(OF_TYPE, key) ? delete_attribute(OF_TYPE, type, key) : ERR_OTHER; }
int MPI_Type_dup(int type, int *copy)
{
    uint64_t a[] = {(uint32_t)type, (uint64_t)copy};
    long err = described(through_MPI_Type_dup(__builtin_return_address(0), a[0], a[1]), COMBINER_DUP, a, 1);
    return err ? (int)err : copy_attributes(OF_TYPE, type, *copy);
}
int MPI_Type_free(int *type)
{
    int err = delete_attributes(OF_TYPE, *type);
    undescribed(*type);
    return err ? err : (int)through_MPI_Type_free(__builtin_return_address(0), (uint64_t)type);
}
int MPI_Win_create_keyval(copier *copy, deleter *delete, int *key, void *extra) { return new_key(OF_WIN, copy, delete, key, extra); }
int MPI_Win_free_keyval(int *key) { return own_key(OF_WIN, *key) ? free_key(OF_WIN, key) : ERR_OTHER; }
int MPI_Win_set_attr(int win, int key, void *value) { return own_key(OF_WIN, key) ? set_attribute(OF_WIN, win, key, value) : ERR_OTHER; }
int MPI_Win_delete_attr(int win, int key) { return own_key(OF_WIN, key) ? delete_attribute(OF_WIN, win, key) : ERR_OTHER; }
int MPI_Win_free(int *win)
{
    int err = delete_attributes(OF_WIN, *win);
    return err ? err : (int)through_MPI_Win_free(__builtin_return_address(0), (uint64_t)win);
}
int MPI_Win_get_attr(int win, int key, void *value, int *flag)
{
    return own_key(OF_WIN, key) ? get_attribute(OF_WIN, win, key, value, flag)
                        : (int)window_attr(win, key, value, flag, __builtin_return_address(0));
}

/* Error handlers. Where one of the program's own is set, the rules return errors, and it is called here. */
enum { OWN_HANDLER = (int)0x94080000, ERRORS_RETURN = 0x54000001, ERRORS_ARE_FATAL = 0x54000000, HANDLER_NULL = 0x14000000 };
typedef void handler(int *object, int *err, ...);
static handler **handlers;
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
    handler **more = grown(handlers, nhandlers, sizeof *handlers);
    if (!more)
        return ERR_OTHER;
    handlers = more;
    handlers[nhandlers] = f;
    *handle = OWN_HANDLER + nhandlers++;
    return 0;
}
static long raised(long result, int comm)
{
    int err = (int)result;
    struct handled *h = err ? handled_by(OF_COMM, comm) : NULL;
    if (h && own_handler(h->handler))
        handlers[h->handler - OWN_HANDLER](&comm, &err);
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
int MPI_Comm_create_errhandler(handler *f, int *handle) { return new_handler(f, handle); }
int MPI_Errhandler_create(handler *f, int *handle) { return new_handler(f, handle); }
int MPI_Win_create_errhandler(handler *f, int *handle) { return new_handler(f, handle); }
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
    if (!h || !own_handler(h->handler))
        return through_MPI_Comm_get_errhandler(site, (uint32_t)comm, (uint64_t)handle);
    *handle = h->handler;
    return 0;
}
int MPI_Comm_get_errhandler(int comm, int *handle) { return (int)get_handler(comm, handle, __builtin_return_address(0)); }
int MPI_Errhandler_get(int comm, int *handle) { return (int)get_handler(comm, handle, __builtin_return_address(0)); }
int MPI_Errhandler_free(int *handle)
{
    if (!own_handler(*handle))
        return (int)through_MPI_Errhandler_free(__builtin_return_address(0), (uint64_t)handle);
    *handle = HANDLER_NULL;
    return 0;
}
int MPI_Comm_call_errhandler(int comm, int err)
{
    struct handled *h = handled_by(OF_COMM, comm);
    if (!h || !own_handler(h->handler))
        return (int)through_MPI_Comm_call_errhandler(__builtin_return_address(0), (uint32_t)comm, (uint32_t)err);
    handlers[h->handler - OWN_HANDLER](&comm, &err);
    return 0;
}
/* Errors of windows are not returned, so that a handler is called only where the program asks for it. */
int MPI_Win_set_errhandler(int win, int handle) { return handle_by(OF_WIN, win, handle), 0; }
int MPI_Win_get_errhandler(int win, int *handle)
{
    struct handled *h = handled_by(OF_WIN, win);
    *handle = h ? h->handler : ERRORS_ARE_FATAL;
    return 0;
}
int MPI_Win_call_errhandler(int win, int err)
{
    struct handled *h = handled_by(OF_WIN, win);
    if (h && own_handler(h->handler))
        handlers[h->handler - OWN_HANDLER](&win, &err);
    else if (!h || h->handler != ERRORS_RETURN)
        return (int)through_MPI_Abort(__builtin_return_address(0), COMM_WORLD, (uint32_t)err);
    return 0;
}
