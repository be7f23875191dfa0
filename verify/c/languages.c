/* What MPICH's libraries for Fortran and C++ ask of the library in C, beyond MPI's own functions: how functions of their languages are called, and
 * attributes that are integers. */

/* Integers that Fortran has set as attributes. C is given a pointer to one, as MPI-4.1 19.3.7 has it: so the pointer is the attribute, and says by
 * standing here that it is of an integer. They are kept: a program may hold such a pointer as long as it likes. */
static struct integer {
    long value;
    struct integer *next;
} *integers;
static long *integer_at(const void *value)
{
    for (struct integer *i = integers; i; i = i->next)
        if (value == &i->value)
            return &i->value;
    return NULL;
}
static void *new_integer(long value)
{
    struct integer *new = malloc(sizeof *new);
    if (!new)
        give_up("there is no memory for an attribute");
    *new = (struct integer){value, integers};
    integers = new;
    return &new->value;
}

enum { A_POINTER = 0, AN_ADDRESS = 1, AN_INTEGER = 3 };
/* An attribute as the functions of another language are given it. */
static void *seen_by(void *value, int *type)
{
    const long *integer = integer_at(value);
    *type = integer ? AN_ADDRESS : A_POINTER;
    return integer ? (void *)*integer : value;
}

void MPII_Keyval_set_proxy(int handle, copier_by *copy, deleter_by *delete)
{
    unsigned i = (unsigned)handle - (unsigned)OWN_KEY;
    if (i < (unsigned)nkeys)
        keys[i].copy_by = copy, keys[i].delete_by = delete;
}
static int copy_by(const struct key *key, int object, int handle, void *value, void **copy, int *flag)
{
    if (!key->copy_by)
        return key->copy(object, handle, key->extra, value, copy, flag);
    int type;
    void *seen = seen_by(value, &type);
    int err = key->copy_by(key->copy, object, handle, key->extra, type, seen, copy, flag);
    /* The copy of an integer is one, of its own; C++ is given its address and may give that back. */
    if (!err && *flag && type != A_POINTER)
        *copy = new_integer((long)*copy);
    return err;
}
static int delete_by(const struct key *key, int object, int handle, void *value)
{
    if (!key->delete_by)
        return key->delete(object, handle, value, key->extra);
    int type;
    void *seen = seen_by(value, &type);
    return key->delete_by(key->delete, object, handle, type, seen, key->extra);
}

/* Attributes as Fortran sets and gets them: an integer of eight bytes, or of four. What C has set is an address there; of MPI's own attributes, which C is
 * given pointers to, Fortran sees the integer itself, by a key of its own. */
static int of_fortran(int err, int of_mpi, void *value, int type, int *flag)
{
    void *seen = *(void **)value;
    const long *integer = integer_at(seen);
    if (err || !*flag)
        return err;
    long as = integer ? *integer : (long)seen;
    if (of_mpi)
        as = *(const int *)seen;
    *(long *)value = type == AN_INTEGER ? (int)as : as;
    return 0;
}
/* MPI's own keys are even in Fortran, and odd in C. */
static int key_of_c(int key, int first) { return (key & ~0xf) == first && !(key & 1) ? key - 1 : key; }

int MPII_Comm_set_attr(int comm, int key, void *value, int type)
{
    return (int)set_attr(comm, key, type == A_POINTER ? value : new_integer((long)value), __builtin_return_address(0));
}
int MPII_Comm_get_attr(int comm, int key, void *value, int *flag, int type)
{
    int own = key_of_c(key, 0x64400000);
    long err = comm_get_attr(comm, own, value, flag, __builtin_return_address(0));
    return type == A_POINTER ? (int)err : of_fortran((int)err, own != key, value, type, flag);
}
int MPII_Type_set_attr(int type_of, int key, void *value, int type)
{
    return (int)type_set_attr(type_of, key, type == A_POINTER ? value : new_integer((long)value), __builtin_return_address(0));
}
int MPII_Type_get_attr(int type_of, int key, void *value, int *flag, int type)
{
    long err = type_get_attr(type_of, key, value, flag, __builtin_return_address(0));
    return type == A_POINTER ? (int)err : of_fortran((int)err, 0, value, type, flag);
}
int MPII_Win_set_attr(int win, int key, void *value, int type)
{
    return (int)win_set_attr(win, key, type == A_POINTER ? value : new_integer((long)value), __builtin_return_address(0));
}
int MPII_Win_get_attr(int win, int key, void *value, int *flag, int type)
{
    enum { FIRST = 0x66000000, BASE = 0x66000001, SIZE = 0x66000003 };
    int own = key_of_c(key, FIRST);
    long err = win_get_attr(win, own, value, flag, __builtin_return_address(0));
    if (type == A_POINTER)
        return (int)err;
    /* The window's memory is an address in both, and its size an integer of eight bytes. */
    if (!err && *flag && own == SIZE)
        return *(long *)value = **(long **)value, 0;
    return of_fortran((int)err, own != key && own != BASE, value, type, flag);
}

/* Reduction functions that are C++'s are called by one of C that its library gives. */
typedef void combiner_by(const void *, void *, int, int, combiner *);
static combiner_by *combine_by;
static struct made {
    int operation;
    combiner *function;
    int is_cxx;
} *made;
static int nmade;
static long op_create(combiner *function, int commute, int *op, const void *site)
{
    long err = through_MPI_Op_create(site, (uint64_t)function, (uint32_t)commute, (uint64_t)op);
    struct made *more = err ? NULL : grown(made, nmade, sizeof *made);
    if (!err && !more)
        give_up("there is no memory for an operation");
    if (!err)
        made = more, made[nmade++] = (struct made){*op, function, 0};
    return err;
}
int MPI_Op_create(combiner *function, int commute, int *op) { return (int)op_create(function, commute, op, __builtin_return_address(0)); }
void MPII_Op_set_cxx(int op, void (*by)(void))
{
    combine_by = (combiner_by *)by;
    for (int i = nmade; i-- > 0;)
        if (made[i].operation == op) {
            made[i].is_cxx = 1;
            return;
        }
}
static void run_function(combiner *function, void *in, void *inout, int *items, int *datatype)
{
    for (int i = 0; i < nmade; i++)
        if (made[i].function == function && made[i].is_cxx) {
            combine_by(in, inout, *items, *datatype, function);
            return;
        }
    function(in, inout, items, datatype);
}
