/* What programs reach by a context's table of functions and this device does not have: each is a function that refuses, so that no entry is
 * a null pointer. The header's own calls look for one; programs that take functions from the table themselves do not. */
#include "front.h"

#include <errno.h>

#undef ibv_query_port

#define REFUSES(name, ...)           \
    static int name(__VA_ARGS__)     \
    {                                \
        return errno = EOPNOTSUPP;   \
    }
#define REFUSES_ONE(type, name, ...) \
    static type *name(__VA_ARGS__)   \
    {                                \
        errno = EOPNOTSUPP;          \
        return NULL;                 \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

REFUSES(advise_mr, struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *list, uint32_t n)
REFUSES(read_counters, struct ibv_counters *counters, uint64_t *values, uint32_t n, uint32_t flags)
REFUSES(attach_counters, struct ibv_counters *counters, struct ibv_counter_attach_attr *attr, struct ibv_flow *flow)
REFUSES(destroy_counters, struct ibv_counters *counters)
REFUSES(free_dm, struct ibv_dm *dm)
REFUSES(modify_flow_action, struct ibv_flow_action *action, struct ibv_flow_action_esp_attr *attr)
REFUSES(destroy_flow_action, struct ibv_flow_action *action)
REFUSES(modify_rate_limit, struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
REFUSES(dealloc_td, struct ibv_td *td)
REFUSES(modify_cq, struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
REFUSES(post_srq_ops, struct ibv_srq *srq, struct ibv_ops_wr *op, struct ibv_ops_wr **bad)
REFUSES(destroy_rwq_ind_table, struct ibv_rwq_ind_table *table)
REFUSES(destroy_wq, struct ibv_wq *wq)
REFUSES(modify_wq, struct ibv_wq *wq, struct ibv_wq_attr *attr)
REFUSES(query_rt_values, struct ibv_context *context, struct ibv_values_ex *values)
REFUSES(destroy_flow, struct ibv_flow *flow)

REFUSES_ONE(struct ibv_mr, alloc_null_mr, struct ibv_pd *pd)
REFUSES_ONE(struct ibv_counters, create_counters, struct ibv_context *context, struct ibv_counters_init_attr *init)
REFUSES_ONE(struct ibv_mr, reg_dm_mr, struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned access)
REFUSES_ONE(struct ibv_dm, alloc_dm, struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
REFUSES_ONE(struct ibv_flow_action, create_flow_action, struct ibv_context *context, struct ibv_flow_action_esp_attr *attr)
REFUSES_ONE(struct ibv_pd, alloc_parent_domain, struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
REFUSES_ONE(struct ibv_td, alloc_td, struct ibv_context *context, struct ibv_td_init_attr *init)
REFUSES_ONE(struct ibv_rwq_ind_table, create_rwq_ind_table, struct ibv_context *context, struct ibv_rwq_ind_table_init_attr *init)
REFUSES_ONE(struct ibv_wq, create_wq, struct ibv_context *context, struct ibv_wq_init_attr *init)
REFUSES_ONE(struct ibv_flow, create_flow, struct ibv_qp *qp, struct ibv_flow_attr *attr)
REFUSES_ONE(struct ibv_qp, open_qp, struct ibv_context *context, struct ibv_qp_open_attr *attr)

/* Of the first libibverbs; since it has been replaced nobody calls them by the table. */
REFUSES_ONE(void, outdated, void)

void nic_refuse_the_rest(struct verbs_context *c)
{
    c->advise_mr = advise_mr;
    c->alloc_null_mr = alloc_null_mr;
    c->read_counters = read_counters;
    c->attach_counters_point_flow = attach_counters;
    c->create_counters = create_counters;
    c->destroy_counters = destroy_counters;
    c->reg_dm_mr = reg_dm_mr;
    c->alloc_dm = alloc_dm;
    c->free_dm = free_dm;
    c->modify_flow_action_esp = modify_flow_action;
    c->destroy_flow_action = destroy_flow_action;
    c->create_flow_action_esp = create_flow_action;
    c->modify_qp_rate_limit = modify_rate_limit;
    c->alloc_parent_domain = alloc_parent_domain;
    c->dealloc_td = dealloc_td;
    c->alloc_td = alloc_td;
    c->modify_cq = modify_cq;
    c->post_srq_ops = post_srq_ops;
    c->destroy_rwq_ind_table = destroy_rwq_ind_table;
    c->create_rwq_ind_table = create_rwq_ind_table;
    c->destroy_wq = destroy_wq;
    c->modify_wq = modify_wq;
    c->create_wq = create_wq;
    c->query_rt_values = query_rt_values;
    c->ibv_destroy_flow = destroy_flow;
    c->ibv_create_flow = create_flow;
    /* Where programs look that were compiled against the first header with flows. */
    c->ABI_placeholder1 = (void (*)(void))create_flow;
    c->ABI_placeholder2 = (void (*)(void))destroy_flow;
    c->open_qp = open_qp;
    struct ibv_context_ops *ops = &c->context.ops;
    ops->_compat_query_device = ibv_query_device;
    ops->_compat_query_port = ibv_query_port;
    void *(**all[])(void) = {
        &ops->_compat_alloc_pd,    &ops->_compat_dealloc_pd,   &ops->_compat_reg_mr,       &ops->_compat_rereg_mr,
        &ops->_compat_dereg_mr,    &ops->_compat_create_cq,    &ops->_compat_cq_event,     &ops->_compat_resize_cq,
        &ops->_compat_destroy_cq,  &ops->_compat_create_srq,   &ops->_compat_modify_srq,   &ops->_compat_query_srq,
        &ops->_compat_destroy_srq, &ops->_compat_create_qp,    &ops->_compat_query_qp,     &ops->_compat_modify_qp,
        &ops->_compat_destroy_qp,  &ops->_compat_create_ah,    &ops->_compat_destroy_ah,   &ops->_compat_attach_mcast,
        &ops->_compat_detach_mcast, &ops->_compat_async_event,
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = outdated;
}
