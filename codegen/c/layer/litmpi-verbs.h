/* The device, for C and Rust: memory that is registered, a queue pair towards each other process, requests and completions.
 * What fails is said by a number of errno, or -1 where there is none, and `*call` says what was asked for. */
#ifndef LITMPI_VERBS_H
#define LITMPI_VERBS_H

#include <stdint.h>

struct litmpi_verbs;

/* What a process says of itself. */
struct litmpi_address {
    uint64_t memory;
    uint32_t rkey;
    uint16_t lid;
    uint8_t gid[16];
};

/* Opens a device, the first if `device` is NULL, and makes memory and queue pairs; `queues` has room for the number of each. */
int litmpi_verbs_open(struct litmpi_verbs **made, const char *device, int gid_index, int rank, int nodes, uint64_t bytes,
                      struct litmpi_address *mine, uint32_t *queues, const char **call);
/* The memory, zeros at first. */
void *litmpi_verbs_memory(struct litmpi_verbs *v);
int litmpi_verbs_connect(struct litmpi_verbs *v, int node, const struct litmpi_address *to, uint32_t queue, const char **call);
/* An RDMA read of `far` into `own`, or write of `own` to `far`, from where the memory begins; it asks for a completion. */
int litmpi_verbs_post(struct litmpi_verbs *v, int is_read, int node, uint64_t far, uint64_t own, uint32_t bytes);
/* Takes a completion of those towards a node: 1, or 0 if there is none, or -1 if it failed and `*status` says how. */
int litmpi_verbs_poll(struct litmpi_verbs *v, int node, const char **status);
void litmpi_verbs_close(struct litmpi_verbs *v);

/* How many requests a queue has room for. */
enum { LITMPI_DEPTH = 64 };

#endif
