/* What the mistakes of messages (faults.c) and those of parts of data (parts.c) share. */
#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The real function. */
#define REAL(name, ...)                                             \
    static int (*real)(__VA_ARGS__);                                \
    if (!real)                                                      \
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_" #name)

/* A function under both of its names: the harness calls some as PMPI_…, and programs call what it does not stand in for. */
#define BOTH(name, parameters, arguments)  \
    int PMPI_##name parameters;            \
    int MPI_##name parameters              \
    {                                      \
        return PMPI_##name arguments;      \
    }                                      \
    int PMPI_##name parameters

#pragma GCC visibility push(hidden)

/* Whether this is one of the mistakes that are asked for. */
int is(const char *name);

/* Whether a message or collective is the test's, not the harness's. */
int of_test(MPI_Comm comm, int tag);

/* Sentinels of the harness that this process has sent and those that it has not received yet are as many: meanwhile its receives take
 * what a test has left. */
extern int draining;

/* Memory that requests may still read: one of the last few buffers. */
char *keep(size_t bytes);

/* Whether the mistake is one of the data of messages; a copy of a buffer with the data of its items spoiled. */
int spoils_messages(void);
const void *spoiled(const void *buf, int count, MPI_Datatype type, MPI_Comm comm);

/* Sends the message that is held back. */
void let_go(void);

int is_root(MPI_Comm comm, int root);

#pragma GCC visibility pop
