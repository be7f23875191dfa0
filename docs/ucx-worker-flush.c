// Is ucp_worker_flush_nbx complete although a get that came before it has not even been sent? UCX 1.13.1 and 1.18.1 say so over shared memory.
//
// One process has two workers. A sends short messages to B until the queue between them is full, then asks for a megabyte of B's memory and flushes.
// B makes no progress, so the get cannot be done; "ucp.h" says of a flush that it completes all outstanding RMA and AMO operations of the worker.
// ucp_ep_flush_nbx waits.
//
//     gcc ucx-worker-flush.c -lucp -lucs && UCX_TLS=posix ./a.out        (exits with 1 if it is complete; libucx-dev)

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

enum { MESSAGES = 1000, BYTES = 1 << 20 };

static void check(ucs_status_t status)
{
    if (status != UCS_OK) {
        fprintf(stderr, "%s\n", ucs_status_string(status));
        exit(2);
    }
}

int main(void)
{
    ucp_params_t features = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG | UCP_FEATURE_RMA};
    ucp_config_t *config;
    ucp_context_h context;
    check(ucp_config_read(NULL, NULL, &config));
    check(ucp_init(&features, config, &context));
    ucp_worker_params_t usual = {0};
    ucp_worker_h a, b;
    check(ucp_worker_create(context, &usual, &a));
    check(ucp_worker_create(context, &usual, &b));
    ucp_address_t *address;
    size_t length;
    check(ucp_worker_get_address(b, &address, &length));
    ucp_ep_params_t to_b = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = address};
    ucp_ep_h ep;
    check(ucp_ep_create(a, &to_b, &ep));
    char *there = malloc(BYTES), *here = calloc(1, BYTES);
    for (int i = 0; i < BYTES; i++)
        there[i] = 7;
    ucp_mem_map_params_t memory = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH, .address = there, .length = BYTES};
    ucp_mem_h mapped;
    ucp_rkey_h key;
    void *packed;
    check(ucp_mem_map(context, &memory, &mapped));
    check(ucp_rkey_pack(context, mapped, &packed, &length));
    check(ucp_ep_rkey_unpack(ep, packed, &key));
    ucp_request_param_t nothing = {0};
    // The first get has the two ends connected.
    ucp_get_nbi(ep, here, 1, (uintptr_t)there, key);
    void *flush = ucp_ep_flush_nbx(ep, &nothing);
    while (UCS_PTR_IS_PTR(flush) && ucp_request_check_status(flush) == UCS_INPROGRESS) {
        ucp_worker_progress(a);
        ucp_worker_progress(b);
    }
    here[0] = 0;
    static char word = 5;
    for (int i = 0; i < MESSAGES; i++)
        ucp_tag_send_nbx(ep, &word, 1, 1, &nothing);
    ucp_get_nbi(ep, here, BYTES, (uintptr_t)there, key);
    flush = ucp_worker_flush_nbx(a, &nothing);
    printf("the flush is %s, the last byte is %d\n", flush == NULL ? "complete" : "under way", here[BYTES - 1]);
    return flush == NULL && here[BYTES - 1] != 7;
}
