/* What the device does not have: no function that a program reaches is a null pointer, and each refuses with EOPNOTSUPP; what the device says
 * of itself promises none of it. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The words of a structure between two of its fields that are null. */
static int nulls(const char *what, const void *from, const void *to)
{
    int found = 0;
    for (const void *const *at = from; (const void *)at < to; at++)
        if (!*at) {
            printf("%s: the word %td is null\n", what, at - (const void *const *)from);
            found++;
        }
    return found;
}

static int wrong;

static void returns(const char *what, int error)
{
    if (error != EOPNOTSUPP)
        printf("%s gives %d\n", what, error), wrong++;
}

static void makes_none(const char *what, const void *made)
{
    if (made || errno != EOPNOTSUPP)
        printf("%s: %s, %s\n", what, made ? "is made" : "is not made", strerror(errno)), wrong++;
    errno = 0;
}

int main(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = ibv_open_device(list[0]);
    struct verbs_context *table = verbs_get_ctx(context);
    /* `priv` is the library's own. */
    wrong += nulls("verbs_context", table, &table->priv) + nulls("verbs_context, behind priv", &table->priv + 1, &table->_ABI_placeholder3);
    wrong += nulls("ibv_context_ops", &context->ops, &context->ops + 1);

    struct ibv_pd *pd = ibv_alloc_pd(context);
    struct ibv_cq_init_attr_ex of_cq = {.cqe = 4, .wc_flags = IBV_WC_STANDARD_FLAGS};
    struct ibv_cq_ex *cq = ibv_create_cq_ex(context, &of_cq);
    wrong += nulls("ibv_cq_ex", &cq->start_poll, cq + 1);
    struct ibv_qp_init_attr_ex of_qp = {.qp_type = IBV_QPT_RC, .send_cq = ibv_cq_ex_to_cq(cq), .recv_cq = ibv_cq_ex_to_cq(cq), .pd = pd,
                                        .cap = {4, 4, 1, 1, 0}, .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                                        .send_ops_flags = IBV_QP_EX_WITH_SEND};
    struct ibv_qp *qp = ibv_create_qp_ex(context, &of_qp);
    struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
    wrong += nulls("ibv_qp_ex", &ex->wr_atomic_cmp_swp, ex + 1);
    struct ibv_srq_init_attr of_srq = {.attr = {4, 1, 0}};
    struct ibv_srq *srq = ibv_create_srq(pd, &of_srq);

    struct ibv_values_ex values = {.comp_mask = IBV_VALUES_MASK_RAW_CLOCK};
    struct ibv_modify_cq_attr moderate = {.attr_mask = IBV_CQ_ATTR_MODERATE};
    struct ibv_ops_wr op = {.opcode = IBV_WR_TAG_SYNC}, *bad_op;
    struct ibv_qp_rate_limit_attr rate = {.rate_limit = 1};
    struct ibv_sge sge = {0};
    returns("ibv_query_rt_values_ex", ibv_query_rt_values_ex(context, &values));
    returns("ibv_modify_cq", ibv_modify_cq(ibv_cq_ex_to_cq(cq), &moderate));
    returns("ibv_post_srq_ops", ibv_post_srq_ops(srq, &op, &bad_op));
    returns("ibv_modify_qp_rate_limit", ibv_modify_qp_rate_limit(qp, &rate));
    returns("ibv_advise_mr", ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &sge, 1));
    struct ibv_ece ece = {0};
    returns("ibv_set_ece", ibv_set_ece(qp, &ece));
    returns("ibv_query_ece", ibv_query_ece(qp, &ece));

    static char memory[4096];
    struct ibv_alloc_dm_attr of_dm = {.length = 64};
    struct ibv_parent_domain_init_attr of_domain = {.pd = pd};
    struct ibv_td_init_attr of_td = {0};
    struct ibv_wq_init_attr of_wq = {.wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1, .pd = pd, .cq = ibv_cq_ex_to_cq(cq)};
    struct ibv_rwq_ind_table_init_attr of_table = {0};
    struct ibv_flow_attr of_flow = {.size = sizeof of_flow, .port = 1};
    struct ibv_flow_action_esp_attr of_action = {0};
    struct ibv_counters_init_attr of_counters = {0};
    struct ibv_qp_open_attr of_open = {.comp_mask = IBV_QP_OPEN_ATTR_NUM, .qp_num = qp->qp_num, .qp_type = IBV_QPT_XRC_RECV};
    struct ibv_srq_init_attr_ex tags = {.attr = {4, 1, 0}, .srq_type = IBV_SRQT_TM, .pd = pd, .cq = ibv_cq_ex_to_cq(cq),
                                        .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM,
                                        .tm_cap = {4, 4}};
    errno = 0;
    makes_none("ibv_alloc_dm", ibv_alloc_dm(context, &of_dm));
    makes_none("ibv_reg_dm_mr", ibv_reg_dm_mr(pd, NULL, 0, 64, IBV_ACCESS_LOCAL_WRITE));
    makes_none("ibv_alloc_null_mr", ibv_alloc_null_mr(pd));
    makes_none("ibv_alloc_parent_domain", ibv_alloc_parent_domain(context, &of_domain));
    makes_none("ibv_alloc_td", ibv_alloc_td(context, &of_td));
    makes_none("ibv_create_wq", ibv_create_wq(context, &of_wq));
    makes_none("ibv_create_rwq_ind_table", ibv_create_rwq_ind_table(context, &of_table));
    makes_none("ibv_create_flow", ibv_create_flow(qp, &of_flow));
    makes_none("ibv_create_flow_action_esp", ibv_create_flow_action_esp(context, &of_action));
    makes_none("ibv_create_counters", ibv_create_counters(context, &of_counters));
    makes_none("ibv_open_qp", ibv_open_qp(context, &of_open));
    makes_none("tag matching", ibv_create_srq_ex(context, &tags));
    makes_none("on-demand paging", ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND));
    makes_none("addresses from zero", ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED));
    makes_none("memory of another device", ibv_reg_dmabuf_mr(pd, 0, 64, 0, 0, IBV_ACCESS_LOCAL_WRITE));
    makes_none("ibv_import_device", ibv_import_device(0));
    makes_none("ibv_import_pd", ibv_import_pd(context, 0));
    makes_none("ibv_import_mr", ibv_import_mr(pd, 0));
    makes_none("ibv_import_dm", ibv_import_dm(context, 0));
    of_cq.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
    makes_none("time stamps", ibv_create_cq_ex(context, &of_cq));
    of_cq.wc_flags = IBV_WC_EX_WITH_TM_INFO;
    makes_none("tags of completions", ibv_create_cq_ex(context, &of_cq));
    of_qp.qp_type = IBV_QPT_RAW_PACKET;
    makes_none("raw packets", ibv_create_qp_ex(context, &of_qp));
    of_qp.qp_type = IBV_QPT_RC;
    of_qp.send_ops_flags = IBV_QP_EX_WITH_TSO;
    makes_none("segments by the device", ibv_create_qp_ex(context, &of_qp));

    struct ibv_device_attr_ex says;
    ibv_query_device_ex(context, NULL, &says);
    if (says.odp_caps.general_caps || says.tm_caps.max_num_tags || says.max_dm_size || says.tso_caps.max_tso || says.raw_packet_caps ||
        says.rss_caps.supported_qpts || says.completion_timestamp_mask || says.hca_core_clock || says.max_wq_type_rq ||
        says.cq_mod_caps.max_cq_count || says.packet_pacing_caps.supported_qpts || says.pci_atomic_caps.fetch_add)
        printf("the device promises what it does not have\n"), wrong++;
    printf("%d wrong\n", wrong);
    return 0;
}
