/* Objects of which the rules have nothing to say, because no other process sees them: info objects, names, the attributes that
 * MPI itself puts on MPI_COMM_WORLD, and functions that are others by another name. */

enum { INFO_NULL = 0x1c000000, INFO_ENV = 0x5c000001, INFO_OWN = 0x5c000010, KEY = 256, VALUE = 1025, NAME = 128 };
/* The key of an attribute that every window has. */
enum { WIN_SIZE = 0x66000003 };
enum { ERR_ARG = 12, ERR_OTHER = 15, ERR_IN_STATUS = 17, ERR_INFO = 28, ERR_INFO_KEY = 29, ERR_INFO_VALUE = 30, ERR_INFO_NOKEY = 31 };

struct pair {
    char key[KEY], value[VALUE];
};
static struct info {
    int live, pairs;
    struct pair *pair;
} *infos;
static int ninfos;

/* What MPI_INFO_ENV says of how the program was started: nothing. It cannot be changed. */
static struct info environment = {1, 0, NULL};

static struct info *info_of(int handle)
{
    if (handle == INFO_ENV)
        return &environment;
    int i = handle - INFO_OWN;
    return i >= 0 && i < ninfos && infos[i].live ? &infos[i] : NULL;
}

static struct pair *pair_of(struct info *info, const char *key)
{
    for (int i = 0; info && i < info->pairs; i++)
        if (!strcmp(info->pair[i].key, key))
            return &info->pair[i];
    return NULL;
}

/* An info object that is none, and a key that is not there, are errors of the call. */
#define INFO(function, err) return info_done(NUMBER_##function, err, __builtin_return_address(0))
static int info_done(uint32_t function, int err, const void *site) { return err ? (int)failed(function, COMM_WORLD, err, site) : 0; }

static int new_info(int *handle)
{
    int i = 0;
    while (i < ninfos && infos[i].live)
        i++;
    if (i == ninfos) {
        struct info *more = grown(infos, ninfos, sizeof *infos);
        if (!more)
            return ERR_OTHER;
        infos = more, ninfos++;
    }
    infos[i] = (struct info){1, 0, NULL};
    *handle = INFO_OWN + i;
    return 0;
}
int MPI_Info_create(int *handle)
{
    NEEDED(MPI_Info_create, handle);
    INFO(MPI_Info_create, new_info(handle));
}
int MPI_Info_create_env(int argc, char **argv, int *handle)
{
    NEEDED(MPI_Info_create_env, handle);
    (void)argc, (void)argv;
    return new_info(handle);
}
static int free_info(int *handle)
{
    struct info *info = info_of(*handle);
    if (!info || info == &environment)
        return ERR_INFO;
    free(info->pair);
    info->live = 0;
    *handle = INFO_NULL;
    return 0;
}
int MPI_Info_free(int *handle)
{
    NEEDED(MPI_Info_free, handle);
    INFO(MPI_Info_free, free_info(handle));
}
static int set_info(int handle, const char *key, const char *value)
{
    struct info *info = info_of(handle);
    if (!info || info == &environment)
        return ERR_INFO;
    if (!*key || strlen(key) >= KEY)
        return ERR_INFO_KEY;
    if (strlen(value) >= VALUE)
        return ERR_INFO_VALUE;
    struct pair *pair = pair_of(info, key);
    if (!pair) {
        struct pair *more = grown(info->pair, info->pairs, sizeof *more);
        if (!more)
            return ERR_OTHER;
        info->pair = more;
        pair = &info->pair[info->pairs++];
        strcpy(pair->key, key);
    }
    strcpy(pair->value, value);
    return 0;
}
int MPI_Info_set(int handle, const char *key, const char *value)
{
    NEEDED(MPI_Info_set, key, value);
    INFO(MPI_Info_set, set_info(handle, key, value));
}
static int delete_info(int handle, const char *key)
{
    struct info *info = info_of(handle);
    struct pair *pair = pair_of(info, key);
    if (!pair)
        return info ? ERR_INFO_NOKEY : ERR_INFO;
    memmove(pair, pair + 1, (size_t)(info->pair + --info->pairs - pair) * sizeof *pair);
    return 0;
}
int MPI_Info_delete(int handle, const char *key)
{
    NEEDED(MPI_Info_delete, key);
    INFO(MPI_Info_delete, delete_info(handle, key));
}
static int copy_info(int handle, int *copy)
{
    int err = info_of(handle) ? new_info(copy) : ERR_INFO;
    if (err)
        return err;
    struct info *info = info_of(handle);
    for (int i = 0; i < info->pairs && !err; i++)
        err = set_info(*copy, info->pair[i].key, info->pair[i].value);
    return err;
}
int MPI_Info_dup(int handle, int *copy)
{
    NEEDED(MPI_Info_dup, copy);
    INFO(MPI_Info_dup, copy_info(handle, copy));
}
int MPI_Info_get_nkeys(int handle, int *n)
{
    NEEDED(MPI_Info_get_nkeys, n);
    struct info *info = info_of(handle);
    *n = info ? info->pairs : 0;
    INFO(MPI_Info_get_nkeys, info ? 0 : ERR_INFO);
}
static int nth_key(const struct info *info, int n, char *key)
{
    if (!info || n < 0 || n >= info->pairs)
        return info ? ERR_ARG : ERR_INFO;
    strcpy(key, info->pair[n].key);
    return 0;
}
int MPI_Info_get_nthkey(int handle, int n, char *key)
{
    NEEDED(MPI_Info_get_nthkey, key);
    INFO(MPI_Info_get_nthkey, nth_key(info_of(handle), n, key));
}
int MPI_Info_get_valuelen(int handle, const char *key, int *length, int *flag)
{
    NEEDED(MPI_Info_get_valuelen, key, length, flag);
    struct pair *pair = pair_of(info_of(handle), key);
    *flag = pair != NULL;
    if (pair)
        *length = (int)strlen(pair->value);
    INFO(MPI_Info_get_valuelen, info_of(handle) ? 0 : ERR_INFO);
}
int MPI_Info_get(int handle, const char *key, int room, char *value, int *flag)
{
    NEEDED(MPI_Info_get, key, value, flag);
    struct pair *pair = pair_of(info_of(handle), key);
    *flag = pair != NULL;
    if (pair) {
        size_t n = strlen(pair->value), most = room < 0 ? 0 : (size_t)room;
        memcpy(value, pair->value, n < most ? n : most);
        value[n < most ? n : most] = 0;
    }
    INFO(MPI_Info_get, info_of(handle) ? 0 : ERR_INFO);
}
int MPI_Info_get_string(int handle, const char *key, int *room, char *value, int *flag)
{
    NEEDED(MPI_Info_get_string, key, room, flag);
    struct pair *pair = pair_of(info_of(handle), key);
    *flag = pair != NULL;
    if (pair && *room > 0)
        snprintf(value, (size_t)*room, "%s", pair->value);
    if (pair)
        *room = (int)strlen(pair->value) + 1;
    INFO(MPI_Info_get_string, info_of(handle) ? 0 : ERR_INFO);
}

/* Names of communicators, datatypes and windows: those that the program has set, and those that objects have from the beginning. */
static struct named {
    int handle;
    char name[NAME];
} *named;
static int nnamed;
static const struct {
    int handle;
    const char *name;
} predefined[] = {
    {0x44000000, "MPI_COMM_WORLD"},
    {0x44000001, "MPI_COMM_SELF"},
    {0x04000000, "MPI_COMM_NULL"},
    {0x0c000000, "MPI_DATATYPE_NULL"},
    {0x20000000, "MPI_WIN_NULL"},
    {LOWER_BOUND, "MPI_LB"},
    {UPPER_BOUND, "MPI_UB"},
#include "names.inc"
};

static int set_name(int handle, const char *name)
{
    int i = 0;
    while (i < nnamed && named[i].handle != handle)
        i++;
    if (i == nnamed) {
        struct named *more = grown(named, nnamed, sizeof *named);
        if (!more)
            return ERR_OTHER;
        named = more, nnamed++;
        named[i].handle = handle;
    }
    snprintf(named[i].name, NAME, "%s", name);
    return 0;
}
static const char *name_of(int handle)
{
    for (int i = 0; i < nnamed; i++)
        if (named[i].handle == handle)
            return named[i].name;
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (predefined[i].handle == handle)
            return predefined[i].name;
    return "";
}
static int is_predefined(int handle)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (predefined[i].handle == handle)
            return 1;
    return 0;
}
/* Whether an object is there is for the rules to say; the null handles have names, too (MPI-4.1 7.8). */
static long there_in(uint32_t function, int handle, const void *site)
{
    int unused;
    if (is_predefined(handle))
        return 0;
    switch ((unsigned)handle >> 26 & 0xf) {
    case 1: return raised(call(function ? function : NUMBER_MPI_Comm_get_name, (uint64_t[]){(uint32_t)handle, (uint64_t)&unused}, 2, site), handle);
    case 3: return raised(call(function ? function : NUMBER_MPI_Type_get_name, (uint64_t[]){(uint32_t)handle, (uint64_t)&unused}, 2, site), COMM_WORLD);
    default: return call(NUMBER_MPI_Win_get_attr, (uint64_t[]){(uint32_t)handle, WIN_SIZE, (uint64_t)&unused, (uint64_t)&unused}, 4, site);
    }
}
static long there(int handle, const void *site) { return there_in(0, handle, site); }
static long get_name(int handle, char *name, int *length, const void *site)
{
    long err = there(handle, site);
    strcpy(name, name_of(handle));
    *length = (int)strlen(name);
    return err;
}
static long new_name(uint32_t function, int handle, const char *name, const void *site)
{
    long err = there_in(function, handle, site);
    return err ? err : set_name(handle, name);
}
int MPI_Comm_set_name(int h, const char *name)
{
    NEEDED(MPI_Comm_set_name, name);
    return (int)new_name(NUMBER_MPI_Comm_set_name, h, name, __builtin_return_address(0));
}
int MPI_Type_set_name(int h, const char *name)
{
    NEEDED(MPI_Type_set_name, name);
    return (int)new_name(NUMBER_MPI_Type_set_name, h, name, __builtin_return_address(0));
}
int MPI_Win_set_name(int h, const char *name)
{
    NEEDED(MPI_Win_set_name, name);
    return (int)new_name(0, h, name, __builtin_return_address(0));
}
int MPI_Comm_get_name(int h, char *name, int *length)
{
    NEEDED(MPI_Comm_get_name, name, length);
    return (int)get_name(h, name, length, __builtin_return_address(0));
}
int MPI_Type_get_name(int h, char *name, int *length)
{
    NEEDED(MPI_Type_get_name, name, length);
    return (int)get_name(h, name, length, __builtin_return_address(0));
}
int MPI_Win_get_name(int h, char *name, int *length)
{
    NEEDED(MPI_Win_get_name, name, length);
    return (int)get_name(h, name, length, __builtin_return_address(0));
}

/* Predefined datatypes by what they are for: of a kind and a size (MPI-4.1 19.1.9), or a value beside its index (6.9.4). MPI_DATATYPE_NULL if
 * there is none. */
enum { DATATYPE_NULL = 0x0c000000 };
static int type_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++)
        if (!strcmp(predefined[i].name, name))
            return predefined[i].handle;
    return DATATYPE_NULL;
}
int MPI_Type_match_size(int class, int size, int *type)
{
    NEEDED(MPI_Type_match_size, type);
    static const char *const classes[] = {"", "REAL", "INTEGER", "COMPLEX"};
    char name[NAME];
    snprintf(name, sizeof name, "MPI_%s%d", class >= 1 && class <= 3 ? classes[class] : "", size);
    *type = type_of_name(name);
    return (int)raised(*type == DATATYPE_NULL ? ERR_ARG : 0, COMM_WORLD);
}
int MPI_Type_get_value_index(int value, int index, int *pair)
{
    NEEDED(MPI_Type_get_value_index, pair);
    const char *of = name_of(value);
    int is_same = value == index, is_int = index == type_of_name("MPI_INT");
    char name[NAME];
    snprintf(name, sizeof name, is_same ? "MPI_2%s" : "MPI_%s_INT", strncmp(of, "MPI_", 4) ? "" : of + 4);
    *pair = is_same || is_int ? type_of_name(name) : DATATYPE_NULL;
    /* Whether these are datatypes is for the rules to say. */
    const void *site = __builtin_return_address(0);
    int size;
    long err = through_MPI_Type_size(site, (uint32_t)value, (uint64_t)&size);
    return (int)(err ? err : through_MPI_Type_size(site, (uint32_t)index, (uint64_t)&size));
}

/* What MPICH has besides the standard's functions, and not here: memory of graphics processors. */
int MPIX_GPU_query_support(int kind, int *is_supported) { return (void)kind, *is_supported = 0; }
int MPIX_Query_cuda_support(void) { return 0; }
int MPIX_Query_hip_support(void) { return 0; }
int MPIX_Query_ze_support(void) { return 0; }

/* The attributes of MPI_COMM_WORLD; MPI_UNIVERSE_SIZE and MPI_APPNUM are not set. */
static int tag_ub = 0x3fffffff, host = -1, any_io = -2, global_clock = 0;
/* Classes and codes that the program adds come behind MPI_ERR_LASTCODE: the class of each, and its text. */
enum { LAST_CODE = 0x3fffffff };
static int last_code = LAST_CODE;
static struct added {
    int class;
    char *text;
} *added;

static long get_attr(int comm, int key, void *value, int *flag, const void *site)
{
    if ((key & 0x7ffffff0) != 0x64400000)
        return through_MPI_Comm_get_attr(site, (uint32_t)comm, (uint32_t)key, (uint64_t)value, (uint64_t)flag);
    void *of = NULL;
    switch (key) {
    case 0x64400001: of = &tag_ub; break;
    case 0x64400003: of = &host; break;
    case 0x64400005: of = &any_io; break;
    case 0x64400007: of = &global_clock; break;
    case 0x6440000b: of = &last_code; break;
    }
    *flag = of != NULL;
    if (of)
        *(void **)value = of;
    return 0;
}
/* Functions that are others by another name. */
int MPI_Comm_split_type(int comm, int type, int key, int info, int *part)
{
    NEEDED(MPI_Comm_split_type, part);
    /* All processes share one memory (MPI_COMM_TYPE_SHARED), which is a resource that a program may name, too (MPI-4.1 7.4.2); other hardware
     * is not told apart, so that nobody gets a part of it. */
    enum { SHARED = 1, HW_GUIDED = 2, RESOURCE_GUIDED = 4 };
    struct pair *resource = type == HW_GUIDED || type == RESOURCE_GUIDED ? pair_of(info_of(info), "mpi_hw_resource_type") : NULL;
    int is_shared = type == SHARED || (resource && !strcmp(resource->value, "mpi_shared_memory"));
    uint64_t colour = is_shared ? 0 : (uint32_t)-32766;
    return (int)through_MPI_Comm_split_type(__builtin_return_address(0), (uint32_t)comm, (uint32_t)type, (uint32_t)key, colour, (uint64_t)part);
}
static long extent_of(int type, long *lower, long *extent, const void *site)
{
    return through_MPI_Type_get_extent(site, (uint32_t)type, (uint64_t)lower, (uint64_t)extent);
}
int MPI_Type_extent(int type, long *extent)
{
    NEEDED(MPI_Type_extent, extent);
    long lower;
    return (int)extent_of(type, &lower, extent, __builtin_return_address(0));
}
int MPI_Type_lb(int type, long *lower)
{
    NEEDED(MPI_Type_lb, lower);
    long extent;
    return (int)extent_of(type, lower, &extent, __builtin_return_address(0));
}
int MPI_Type_ub(int type, long *upper)
{
    NEEDED(MPI_Type_ub, upper);
    long lower = 0, extent = 0, err = extent_of(type, &lower, &extent, __builtin_return_address(0));
    *upper = lower + extent;
    return (int)err;
}
int MPI_Address(const void *location, void *address)
{
    NEEDED(MPI_Address, address);
    *(const void **)address = location;
    return 0;
}

/* Errors of the program's own: a class is a code, of that class; one without a text has the empty one (MPI-4.1 9.5). */
enum { REMOVED = -1 };
static struct added *added_code(int code)
{
    struct added *of = code > LAST_CODE && code <= last_code ? &added[code - LAST_CODE - 1] : NULL;
    return of && of->class != REMOVED ? of : NULL;
}
static int add_code(int class, int *code)
{
    struct added *more = grown(added, last_code - LAST_CODE, sizeof *added);
    if (!more)
        return ERR_OTHER;
    added = more;
    *code = ++last_code;
    *added_code(*code) = (struct added){class ? class : *code, NULL};
    return 0;
}
int MPI_Add_error_class(int *class)
{
    NEEDED(MPI_Add_error_class, class);
    return add_code(0, class);
}
int MPI_Add_error_code(int class, int *code)
{
    NEEDED(MPI_Add_error_code, code);
    return add_code(class, code);
}
int MPI_Add_error_string(int code, const char *text)
{
    NEEDED(MPI_Add_error_string, text);
    struct added *of = added_code(code);
    if (!of)
        return (int)failed(NUMBER_MPI_Add_error_string, COMM_WORLD, ERR_ARG, __builtin_return_address(0));
    free(of->text);
    of->text = strndup(text, 511);
    return 0;
}
/* What has a text cannot be removed, nor a class that has codes. */
static int removable(int code, int is_class)
{
    struct added *of = added_code(code);
    if (!of || of->text || (of->class == code) != is_class)
        return 0;
    for (int other = LAST_CODE + 1; is_class && other <= last_code; other++)
        if (other != code && added_code(other) && added_code(other)->class == code)
            return 0;
    return 1;
}
static int remove_code(uint32_t function, int code, int is_class, const void *site)
{
    if (!removable(code, is_class))
        return (int)failed(function, COMM_WORLD, ERR_ARG, site);
    added_code(code)->class = REMOVED;
    return 0;
}
int MPI_Remove_error_class(int class) { return remove_code(NUMBER_MPI_Remove_error_class, class, 1, __builtin_return_address(0)); }
int MPI_Remove_error_code(int code) { return remove_code(NUMBER_MPI_Remove_error_code, code, 0, __builtin_return_address(0)); }
int MPI_Remove_error_string(int code)
{
    struct added *of = added_code(code);
    if (!of || !of->text)
        return (int)failed(NUMBER_MPI_Remove_error_string, COMM_WORLD, ERR_ARG, __builtin_return_address(0));
    free(of->text);
    of->text = NULL;
    return 0;
}
int MPI_Error_class(int code, int *class)
{
    NEEDED(MPI_Error_class, class);
    struct added *of = added_code(code);
    return of ? (*class = of->class, 0) : (int)through_MPI_Error_class(__builtin_return_address(0), (uint32_t)code, (uint64_t)class);
}
int MPI_Error_string(int code, char *text, int *length)
{
    NEEDED(MPI_Error_string, text, length);
    struct added *of = added_code(code);
    if (!of)
        return (int)through_MPI_Error_string(__builtin_return_address(0), (uint32_t)code, (uint64_t)text, (uint64_t)length);
    strcpy(text, of->text ? of->text : "");
    *length = (int)strlen(text);
    return 0;
}

/* Statuses, and handles as integers. How many bytes were received stands in the first word, whether it was cancelled in
 * the second. */
struct status {
    int low, high, source, tag, error;
};
int MPI_Status_get_source(const struct status *s, int *v)
{
    NEEDED(MPI_Status_get_source, s, v);
    return *v = s->source, 0;
}
int MPI_Status_get_tag(const struct status *s, int *v)
{
    NEEDED(MPI_Status_get_tag, s, v);
    return *v = s->tag, 0;
}
int MPI_Status_get_error(const struct status *s, int *v)
{
    NEEDED(MPI_Status_get_error, s, v);
    return *v = s->error, 0;
}
int MPI_Status_set_source(struct status *s, int v)
{
    NEEDED(MPI_Status_set_source, s);
    return s->source = v, 0;
}
int MPI_Status_set_tag(struct status *s, int v)
{
    NEEDED(MPI_Status_set_tag, s);
    return s->tag = v, 0;
}
int MPI_Status_set_error(struct status *s, int v)
{
    NEEDED(MPI_Status_set_error, s);
    return s->error = v, 0;
}
int MPI_Status_c2f(const struct status *c, int *f) { return memcpy(f, c, sizeof *c), 0; }
int MPI_Status_f2c(const int *f, struct status *c) { return memcpy(c, f, sizeof *c), 0; }
#define SAME(name) \
    int MPI_##name(int handle) { return handle; } \
    int PMPI_##name(int) __attribute__((alias("MPI_" #name)));
#define HANDLE(type) SAME(type##_c2f) SAME(type##_f2c) SAME(type##_fromint) SAME(type##_toint)
HANDLE(Comm)
HANDLE(Errhandler)
HANDLE(Group)
HANDLE(Info)
HANDLE(Message)
HANDLE(Op)
HANDLE(Request)
HANDLE(Session)
HANDLE(Type)
HANDLE(Win)
/* No file is ever opened, so that the only handle is that of none; in C it is a pointer. */
long MPI_File_f2c(int handle) { return (void)handle, 0; }
int MPI_File_c2f(void *file) { return (void)file, 0; }
long MPI_File_fromint(int handle) { return (void)handle, 0; }
int MPI_File_toint(void *file) { return (void)file, 0; }

/* The buffers of buffered sends, that of the process (of communicator 0) and those of communicators: the rules know how large they are,
   and not where. */
static struct lent {
    int comm;
    void *buffer;
    long bytes;
    struct lent *next;
} *lent;
/* MPI_BUFFER_AUTOMATIC, and the room that the rules give it. */
#define AUTOMATIC ((void *)-2)
#define AMPLE_ROOM 2147483646
/* Where the memory begins that is the library's meanwhile, so that it is as good as any location. */
static uint64_t first_of(const void *buffer) { return ((uint64_t)buffer + 15) & ~15ul; }
static int attach(long err, int comm, void *buffer, long bytes, const void *site)
{
    if (!err && buffer != AUTOMATIC && bytes >= 32)
        err = through_lend(site, first_of(buffer), (uint64_t)bytes - 16);
    struct lent *new = err ? NULL : malloc(sizeof *new);
    if (new) {
        *new = (struct lent){comm, buffer, bytes, lent};
        lent = new;
    }
    return (int)err;
}
static int detach(long err, int comm, void *buffer, long *bytes, const void *site)
{
    struct lent **at = &lent;
    while (*at && (*at)->comm != comm)
        at = &(*at)->next;
    if (!err && *at) {
        struct lent *gone = *at;
        if (gone->buffer != AUTOMATIC && gone->bytes >= 32)
            err = through_reclaim(site, first_of(gone->buffer));
        *(void **)buffer = gone->buffer;
        *bytes = gone->bytes;
        *at = gone->next;
        free(gone);
    }
    return (int)err;
}
/* A size that an int does not hold is MPI_UNDEFINED. */
static int as_int(int err, long bytes, int *into)
{
    if (!err)
        *into = bytes == (int)bytes ? (int)bytes : -32766;
    return err;
}
#define ROOM (uint64_t)(buffer == AUTOMATIC ? AMPLE_ROOM : bytes < 0 ? -1 : (long)bytes)
#define SITE __builtin_return_address(0)
int MPI_Buffer_attach(void *buffer, int bytes)
{
    if (bytes > 0)
        NEEDED(MPI_Buffer_attach, buffer);
    return attach(through_MPI_Buffer_attach(SITE, (uint64_t)buffer, ROOM), 0, buffer, bytes, SITE);
}
int MPI_Buffer_attach_c(void *buffer, long bytes)
{
    if (bytes > 0)
        NEEDED(MPI_Buffer_attach_c, buffer);
    return attach(through_MPI_Buffer_attach_c(SITE, (uint64_t)buffer, ROOM), 0, buffer, bytes, SITE);
}
int MPI_Comm_attach_buffer(int comm, void *buffer, int bytes)
{
    if (bytes > 0)
        NEEDED(MPI_Comm_attach_buffer, buffer);
    return attach(through_MPI_Comm_attach_buffer(SITE, (uint64_t)comm, (uint64_t)buffer, ROOM), comm, buffer, bytes, SITE);
}
int MPI_Comm_attach_buffer_c(int comm, void *buffer, long bytes)
{
    if (bytes > 0)
        NEEDED(MPI_Comm_attach_buffer_c, buffer);
    return attach(through_MPI_Comm_attach_buffer_c(SITE, (uint64_t)comm, (uint64_t)buffer, ROOM), comm, buffer, bytes, SITE);
}
int MPI_Buffer_detach_c(void *buffer, long *bytes)
{
    NEEDED(MPI_Buffer_detach_c, buffer, bytes);
    return detach(through_MPI_Buffer_detach_c(SITE, (uint64_t)buffer, (uint64_t)bytes), 0, buffer, bytes, SITE);
}
int MPI_Buffer_detach(void *buffer, int *size)
{
    NEEDED(MPI_Buffer_detach, buffer, size);
    long bytes = 0;
    int err = detach(through_MPI_Buffer_detach(SITE, (uint64_t)buffer, (uint64_t)&bytes), 0, buffer, &bytes, SITE);
    return as_int(err, bytes, size);
}
int MPI_Comm_detach_buffer_c(int comm, void *buffer, long *bytes)
{
    NEEDED(MPI_Comm_detach_buffer_c, buffer, bytes);
    return detach(through_MPI_Comm_detach_buffer_c(SITE, (uint64_t)comm, (uint64_t)buffer, (uint64_t)bytes), comm, buffer, bytes, SITE);
}
int MPI_Comm_detach_buffer(int comm, void *buffer, int *size)
{
    NEEDED(MPI_Comm_detach_buffer, buffer, size);
    long bytes = 0;
    int err = detach(through_MPI_Comm_detach_buffer(SITE, (uint64_t)comm, (uint64_t)buffer, (uint64_t)&bytes), comm, buffer, &bytes, SITE);
    return as_int(err, bytes, size);
}
#undef ROOM
#undef SITE

int MPI_Status_set_cancelled(struct status *s, int flag)
{
    NEEDED(MPI_Status_set_cancelled, s);
    return s->high = (s->high & ~1) | (flag != 0), 0;
}

/* Threads of a process take turns (MPI_THREAD_FUNNELED at most). */
static int thread_level;
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    NEEDED(MPI_Init_thread, provided);
    long err = through_MPI_Init_thread(__builtin_return_address(0), (uint64_t)argc, (uint64_t)argv, (uint32_t)required, (uint64_t)&thread_level);
    *provided = thread_level;
    return (int)err;
}
int MPI_Query_thread(int *provided)
{
    NEEDED(MPI_Query_thread, provided);
    *provided = thread_level;
    return (int)through_MPI_Query_thread(__builtin_return_address(0), (uint64_t)provided);
}

/* Nobody has spawned this process. */
int MPI_Comm_get_parent(int *parent)
{
    NEEDED(MPI_Comm_get_parent, parent);
    return *parent = 0x04000000, 0;
}
