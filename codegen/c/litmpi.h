/* What a generated litmus test sees of its harness.
 *
 * A location is a block of LITMPI_BLOCK ints, so that one program runs with messages of any size; its elements hold words made
 * of its value and of their places (contents.c). An array is consecutive blocks, between guards (memory.c). LITMPI_COMM stands for the test's world: the tests of a suite share
 * one launch, each on its first ranks. */
#ifndef LITMPI_H
#define LITMPI_H

#include <mpi.h>
#include <stddef.h>

#if defined(__GNUC__) && !defined(__clang__)
/* MPICH's MPI_STATUSES_IGNORE is the address 1, which the compiler takes for an array too small. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define LITMPI_OBSERVED 64 /* most observables of a test */
#define LITMPI_RANKS 32    /* most ranks of a test */

/* One rank of a test. */
struct litmpi_rank {
    void (*body)(void);
    const int *initial; /* initial value of each block */
    int blocks;
    const char *names;  /* of each block, with spaces between: `x r[0] r[1]` */
};

/* What the operations of a test keep of the words that values stand as; see contents.c. */
enum litmpi_contents { LITMPI_PLACED, LITMPI_SUMMED, LITMPI_MASKED, LITMPI_ZEROED };

/* Where an observable lives: a block of a rank, or (block -1) a register, which the body reports. */
struct litmpi_observable {
    int rank;
    int block;
};

struct litmpi_test {
    const char *name;
    const char *file;
    int ranks;
    const struct litmpi_rank *rank;
    int observed;
    const struct litmpi_observable *observable;
    int single; /* it speaks of a fixed number of ints: locations are one int each */
    int contents; /* an enum litmpi_contents */
};

extern const struct litmpi_test *const litmpi_tests[];
extern const int litmpi_test_count;

/* The run's state that tests read. */
extern int litmpi_block;
extern MPI_Comm litmpi_comm;

#define LITMPI_BLOCK (litmpi_block)
#define LITMPI_COMM (litmpi_comm)
/* The block with this number, and the block this many after another. */
#define LITMPI_AT(number) litmpi_at(number)
#define LITMPI_AFTER(location, number) ((location) + (size_t)(number) * (size_t)litmpi_block)
/* How many of a datatype's items a location is: a predefined type's are ints, the test's own types are made of
 * locations. */
#define LITMPI_UNIT(type) litmpi_unit(type)
#define LITMPI_BYTES ((int)sizeof(int) * litmpi_block)
/* Marks a type whose items are a fixed number of ints. */
#define LITMPI_SINGLE(type) type
/* Makes an MPI call; an error ends the rank's body and becomes the outcome. */
#define LITMPI_TRY(call)        \
    do {                        \
        if (!litmpi_ok(call))   \
            goto done;          \
    } while (0)

void litmpi_point(int line);         /* the statement of this line begins: perhaps a delay */
int litmpi_ok(int code);             /* whether an MPI call succeeded; remembers why not */
/* For tests whose binding to MPI keeps the codes to itself (rsmpi): errors come by a handler, and a body asks after
 * each call whether it is over. */
extern int litmpi_unchecked;
int litmpi_ended(void);
int litmpi_choose(int alternatives); /* one of 0 .. alternatives - 1 */
int litmpi_turn(long turn);          /* whether a loop may go on; remembers that it was cut */

void litmpi_store(int *location, int value);
int litmpi_load(const int *location); /* remembers when the block holds no single value */
int litmpi_first(int value);          /* of what was loaded, where a branch goes by it */
int *litmpi_at(int number);

int litmpi_source(const MPI_Status *status); /* MPI_ANY_SOURCE is -1, MPI_PROC_NULL -2, as in the model */
int litmpi_tag(const MPI_Status *status);    /* MPI_ANY_TAG is -1 */
int litmpi_count(const MPI_Status *status);  /* in blocks; -1 for MPI_UNDEFINED */
int litmpi_cancelled(const MPI_Status *status);
int litmpi_error_of(const MPI_Status *status); /* the class; -1 if the call has left the field as it was */
int litmpi_index(int index);                 /* MPI_UNDEFINED is -1 */
int litmpi_unit(MPI_Datatype type);
int litmpi_comparison(int result); /* MPI_IDENT is 0, MPI_CONGRUENT 1, MPI_SIMILAR 2, MPI_UNEQUAL 3 */
int litmpi_topology(int kind);     /* MPI_GRAPH is 1, MPI_CART 2, MPI_DIST_GRAPH 3, MPI_UNDEFINED -1 */
int litmpi_elements(MPI_Aint bytes); /* in locations */
int litmpi_neighbour(int rank);      /* MPI_PROC_NULL is -2 */
int litmpi_translated(int rank);     /* MPI_UNDEFINED is -1, MPI_PROC_NULL -2 */
MPI_Datatype litmpi_oldtype(MPI_Datatype type); /* a predefined type as one that has a location's size */

/* An array that a request may read for as long as it is there, be it left when its body ends. */
#define LITMPI_LASTING(type, ...) ((type *)litmpi_lasting((const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__})))
void *litmpi_lasting(const void *array, size_t bytes);

void litmpi_observe(int observable, int value); /* a register's final value */
/* What the body leaves behind: completed, cancelled or freed before the next iteration. */
void litmpi_leave(MPI_Request *request);
void litmpi_leave_message(MPI_Message *message);
void litmpi_leave_type(MPI_Datatype *type);
void litmpi_leave_comm(MPI_Comm *comm);
void litmpi_leave_group(MPI_Group *group);
void litmpi_leave_op(MPI_Op *op);

/* Functions for MPI_Op_create, all associative: the first operand, the second, composition of affine maps modulo 16, sum. */
MPI_User_function LITMPI_LEFT, LITMPI_RIGHT, LITMPI_COMPOSE, LITMPI_ADD;

/* Functions for attributes; those that are NOTED write the value, a digit, into a log. */
MPI_Comm_copy_attr_function LITMPI_COPY_NOTED, LITMPI_COPY_NEXT, LITMPI_COPY_NOT, LITMPI_COPY_FAILS;
MPI_Comm_delete_attr_function LITMPI_DELETE_NOTED, LITMPI_DELETE_FAILS;
int litmpi_called(void); /* the log */
int LITMPI_Comm_set_attr(MPI_Comm comm, int key, int value);
int LITMPI_Comm_get_attr(MPI_Comm comm, int key, int *value, int *flag);
void litmpi_leave_key(int *key);

/* Error handlers: MPI_ERRORS_ARE_FATAL is 1, MPI_ERRORS_RETURN 2, MPI_ERRORS_ABORT 3, the test's own 16; error classes are numbered as
 * the standard lists them. */
MPI_Comm_errhandler_function LITMPI_ON_ERROR; /* notes the class */
int LITMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int LITMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int litmpi_handler(MPI_Errhandler handler);
int litmpi_class(int class);
int litmpi_last_error(void); /* the class of the last error that a call returned, which is forgotten then */
void litmpi_leave_handler(MPI_Errhandler *handler);

/* A generalised request; the status that it gives is empty. */
int LITMPI_Grequest_start(MPI_Request *request);

/* Windows; sizes are in bytes. The flavors are 1 (created) and 2 (allocated), the memory models 1 (separate) and 2 (unified). */
int LITMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, int **base, MPI_Win *win);
int LITMPI_Win_get_attr(MPI_Win win, int key, int *value, int *flag);
MPI_Info litmpi_info(const char *key, const char *value);
void litmpi_leave_win(MPI_Win *win);

/* MPI calls whose arguments are counted in locations. */
int LITMPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
int LITMPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);
int LITMPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count);
int LITMPI_Buffer_attach(int size, int messages);
int LITMPI_Buffer_detach(void);
/* What a program lends to a communicator: room for so many messages, or MPI_BUFFER_AUTOMATIC, which is a pointer; and where what is taken back is put. */
#define LITMPI_ROOM(size, messages) ((int)(sizeof(int) * (size_t)(size) * (size_t)litmpi_block + (size_t)(messages) * MPI_BSEND_OVERHEAD))
#define LITMPI_LENT(size, messages) \
    _Generic((size), void *: (void *)(size_t)(size), default: malloc((size_t)LITMPI_ROOM(size, messages))), LITMPI_ROOM(size, messages)
#define LITMPI_TAKEN(type) &(type){0}
/* The end of MPI for this iteration: its barrier. */
int LITMPI_Finalize(void);
int LITMPI_Finalized(int *flag);

#endif
