/* Probes of send queues that stand still, of shared queues of receives, and of groups of datagrams; probes.c includes it. */

#include <netinet/in.h>
#include <sys/socket.h>

/* ---- send queues that are drained ---- */

static int turn(struct end *e, enum ibv_qp_state to, int mask)
{
    struct ibv_qp_attr attr = {.qp_state = to, .en_sqd_async_notify = 1, .timeout = 10, .retry_cnt = 3};
    return ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | mask);
}

static void state_now(const char *what, struct end *e)
{
    static const char *const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    usleep(50000);
    need(!ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp");
    say(" %s=%s%s", what, attr.qp_state <= IBV_QPS_ERR ? names[attr.qp_state] : "?", attr.sq_draining ? ", draining" : "");
}

static void drained(struct end *e)
{
    struct ibv_async_event is;
    int came = event(e, &is);
    say(" event %s", !came ? "none" : is.event_type == IBV_EVENT_SQ_DRAINED && is.element.qp == e->qp ? "SQ_DRAINED" : "another");
    if (came)
        ibv_ack_async_event(&is);
}

static void sqd_good(void)
{
    pair();
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    completions("a", a.sent, 1);
    say(" to SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
    drained(&a);
    say(" posted: %s", name(ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64)));
    usleep(100000);
    completions("a", a.sent, 0);
    state_now("a", &a);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
    completions("a", a.sent, 1);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 3, 64);
    completions("a", a.sent, 1);
    completions("a", a.sent, 0);
    state("a", &a);
}

static void sqd_receives(void)
{
    pair();
    receive(&b, 10, 64);
    say(" to SQD: %s", name(turn(&b, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
    drained(&b);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_READ, 2, 64);
    completions("a", a.sent, 2);
    completions("b", b.received, 1);
    state_now("b", &b);
}

/* A message is under way, and the other end has no receive for it, when the send queue is to be drained. */
static void drain_under_way(void)
{
    struct times t = patient;
    t.timer = 20; /* 10.24 ms */
    pair_with(64, DEPTH, all_rights, t);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    usleep(50000);
    say(" to SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
}

static void sqd_draining(void)
{
    drain_under_way();
    state_now("a", &a);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
    receive(&b, 10, 64);
    completions("a", a.sent, 1);
    drained(&a);
    state_now("a", &a);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
}

/* What has begun when a send queue is drained fails at the other end, whose receive is too short. */
static void sqd_fails(void)
{
    drain_under_way();
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    receive(&b, 10, 8);
    receive(&b, 11, 64);
    completions("a", a.sent, 2);
    completions("b", b.received, 2);
    drained(&a);
    state_now("a", &a);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
}

static void sqd_unannounced(void)
{
    pair();
    say(" to SQD: %s", name(turn(&a, IBV_QPS_SQD, 0)));
    drained(&a);
    state_now("a", &a);
}

static void sqd_error(void)
{
    pair();
    say(" to SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
    drained(&a);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    say(" to ERR: %s", name(turn(&a, IBV_QPS_ERR, 0)));
    completions("a", a.sent, 2);
    state("a", &a);
}

static void sqd_states(void)
{
    pair();
    say(" with a timeout: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_TIMEOUT)));
    say(", RTS to SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
    drained(&a);
    say(", a timeout in SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT)));
    usleep(100000); /* to say SQD again may be to drain again */
    say(", SQD to RTR: %s", name(turn(&a, IBV_QPS_RTR, 0)));
    say(", to RESET: %s", name(turn(&a, IBV_QPS_RESET, 0)));
    say(", RESET to SQD: %s", name(turn(&a, IBV_QPS_SQD, 0)));
}

/* ---- send queues in which a request of an unreliable service has failed ---- */

static void ask_badly(struct end *from, const struct end *to, uint64_t id)
{
    uint32_t was = from->mr->lkey;
    from->mr->lkey += 0x5000;
    ask_there(from, to, IBV_WR_RDMA_WRITE, id, 64);
    from->mr->lkey = was;
}

static void sqe_uc(void)
{
    unreliable_pair();
    receive(&a, 10, 64);
    ask_badly(&a, &b, 1);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    completions("a", a.sent, 2);
    state_now("a", &a);
    ask_there(&b, &a, IBV_WR_SEND, 5, 64);
    completions("a's", a.received, 1);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 3, 64);
    completions("a", a.sent, 1);
    state("a", &a);
}

/* ---- datagrams ---- */

enum { KEY = 0x1234, HEADER = 40 };

static void datagrams(struct end *e)
{
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = KEY};
    type = IBV_QPT_UD;
    make_qp(e, 64, DEPTH);
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), "INIT");
    attr.qp_state = IBV_QPS_RTR;
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE), "RTR");
    attr.qp_state = IBV_QPS_RTS;
    need(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), "RTS");
}

/* An address: of a group, or of the device itself. */
static struct ibv_ah *address(struct end *e, const union ibv_gid *group)
{
    struct ibv_port_attr port;
    struct ibv_ah_attr attr = {.port_num = 1};
    need(!ibv_query_port(e->context, 1, &port), "ibv_query_port");
    attr.dlid = group ? 0xc001 : port.lid;
    if (group || port.link_layer == IBV_LINK_LAYER_ETHERNET) {
        attr.is_global = 1;
        attr.grh.sgid_index = (uint8_t)gid_index;
        attr.grh.hop_limit = 1;
        if (group)
            attr.grh.dgid = *group;
        else
            need(!ibv_query_gid(e->context, 1, gid_index, &attr.grh.dgid), "ibv_query_gid");
    }
    struct ibv_ah *ah = ibv_create_ah(e->pd, &attr);
    need(ah != NULL, "ibv_create_ah");
    return ah;
}

static int throw(struct end *from, struct ibv_ah *ah, uint32_t qpn, uint64_t id, uint32_t lkey)
{
    struct ibv_sge sge = {(uintptr_t)from->memory, 16, lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    wr.wr.ud.ah = ah;
    wr.wr.ud.remote_qpn = qpn;
    wr.wr.ud.remote_qkey = KEY;
    return ibv_post_send(from->qp, &wr, &bad);
}

static void sqe_ud(void)
{
    open_end(&a);
    open_end(&b);
    datagrams(&a);
    datagrams(&b);
    struct ibv_ah *to_b = address(&a, NULL), *to_a = address(&b, NULL);
    receive(&a, 10, HEADER + 64);
    receive(&b, 20, HEADER + 64);
    throw(&a, to_b, b.qp->qp_num, 1, a.mr->lkey + 0x5000);
    throw(&a, to_b, b.qp->qp_num, 2, a.mr->lkey);
    completions("a", a.sent, 2);
    state_now("a", &a);
    throw(&b, to_a, a.qp->qp_num, 5, b.mr->lkey);
    completions("a's", a.received, 1);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
    throw(&a, to_b, b.qp->qp_num, 3, a.mr->lkey);
    completions("a", a.sent, 1);
    completions("b", b.received, 1);
    state("a", &a);
}

static void sqd_ud(void)
{
    open_end(&a);
    open_end(&b);
    datagrams(&a);
    datagrams(&b);
    struct ibv_ah *to_b = address(&a, NULL), *to_a = address(&b, NULL);
    receive(&a, 10, HEADER + 64);
    receive(&b, 20, HEADER + 64);
    say(" to SQD: %s", name(turn(&a, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY)));
    drained(&a);
    throw(&a, to_b, b.qp->qp_num, 1, a.mr->lkey);
    throw(&b, to_a, a.qp->qp_num, 5, b.mr->lkey);
    completions("a's", a.received, 1);
    usleep(100000);
    completions("a", a.sent, 0);
    say(" to RTS: %s", name(turn(&a, IBV_QPS_RTS, 0)));
    completions("a", a.sent, 1);
    completions("b", b.received, 1);
}

static void ud_flushed(void)
{
    open_end(&b);
    datagrams(&b);
    receive(&b, 10, HEADER + 64);
    receive(&b, 11, HEADER + 64);
    say(" to ERR: %s", name(turn(&b, IBV_QPS_ERR, 0)));
    completions("b", b.received, 2);
    say(" posted: %s", name(receive(&b, 12, HEADER + 64)));
    completions("b", b.received, 1);
    say(" to RESET: %s", name(turn(&b, IBV_QPS_RESET, 0)));
}

/* More receives than the device looks at at a time, behind some that datagrams have taken. */
static void ud_flushed_behind(void)
{
    int good = 0, flushed = 0, in_order = 1;
    open_end(&a);
    open_end(&b);
    datagrams(&a);
    datagrams(&b);
    for (uint64_t i = 0; i < DEPTH - 1; i++)
        receive(&b, i, HEADER + 64);
    struct ibv_ah *to_b = address(&a, NULL);
    throw(&a, to_b, b.qp->qp_num, 1, a.mr->lkey);
    throw(&a, to_b, b.qp->qp_num, 2, a.mr->lkey);
    completions("a", a.sent, 2);
    usleep(100000);
    say(" to ERR: %s", name(turn(&b, IBV_QPS_ERR, 0)));
    for (double since = now(); good + flushed < DEPTH - 1 && now() - since < 3;) {
        struct ibv_wc wc;
        if (ibv_poll_cq(b.received, 1, &wc) != 1)
            continue;
        in_order &= wc.wr_id == (uint64_t)(good + flushed);
        good += wc.status == IBV_WC_SUCCESS;
        flushed += wc.status == IBV_WC_WR_FLUSH_ERR;
    }
    say(" %d have come, %d are flushed, %s", good, flushed, in_order ? "in order" : "not in order");
}

/* ---- groups ---- */

/* Of Ethernet with version 4 of the internet protocol, a group's address is one of that. */
static union ibv_gid group = {.raw = {0xff, 0x12, [14] = 1, [15] = 7}};
static const union ibv_gid of_version_4 = {.raw = {[10] = 0xff, 0xff, 224, 1, 1, 7}};

/* Of Ethernet, the kernel takes from its network only what goes to groups that a socket has joined. */
static void join(void)
{
    static int four, six;
    four = socket(AF_INET, SOCK_DGRAM, 0);
    six = socket(AF_INET6, SOCK_DGRAM, 0);
    for (int i = 1; i < 8; i++) {
        struct ip_mreqn of_four = {.imr_ifindex = i};
        struct ipv6_mreq of_six = {.ipv6mr_interface = (unsigned)i};
        memcpy(&of_four.imr_multiaddr, of_version_4.raw + 12, 4);
        memcpy(&of_six.ipv6mr_multiaddr, group.raw, 16);
        setsockopt(four, IPPROTO_IP, IP_ADD_MEMBERSHIP, &of_four, sizeof of_four);
        setsockopt(six, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &of_six, sizeof of_six);
    }
}

static void three(struct end *c)
{
    struct end *const all[] = {&a, &b, c};
    union ibv_gid own;
    join();
    for (int i = 0; i < 3; i++) {
        open_end(all[i]);
        datagrams(all[i]);
        receive(all[i], 10, HEADER + 64);
        receive(all[i], 11, HEADER + 64);
    }
    need(!ibv_query_gid(a.context, 1, gid_index, &own), "ibv_query_gid");
    if (memcmp(&own, &of_version_4, 12) == 0)
        group = of_version_4;
}

/* What has come within a short time. */
static void came(const char *what, struct ibv_cq *cq)
{
    struct ibv_wc wc[8];
    usleep(200000);
    int n = ibv_poll_cq(cq, 8, wc);
    say(" %s[", what);
    for (int i = 0; i < n; i++)
        say("%s%d:%s", i ? " " : "", (int)wc[i].wr_id, status(wc[i].status));
    say("]");
}

static void throw_to_group(uint64_t id)
{
    throw(&a, address(&a, &group), 0xffffff, id, a.mr->lkey);
    completions("a", a.sent, 1);
}

static void group_good(void)
{
    struct end c;
    three(&c);
    say(" b: %s", name(ibv_attach_mcast(b.qp, &group, 0xc001)));
    say(", c: %s", name(ibv_attach_mcast(c.qp, &group, 0xc001)));
    throw_to_group(1);
    came("b", b.received);
    came("c", c.received);
    say(" c away: %s", name(ibv_detach_mcast(c.qp, &group, 0xc001)));
    throw_to_group(2);
    came("b", b.received);
    came("c", c.received);
}

static void group_of_nobody(void)
{
    struct end c;
    three(&c);
    throw_to_group(1);
    came("b", b.received);
}

static void group_of_the_sender(void)
{
    struct end c;
    three(&c);
    say(" a: %s", name(ibv_attach_mcast(a.qp, &group, 0xc001)));
    say(", b: %s", name(ibv_attach_mcast(b.qp, &group, 0xc001)));
    throw_to_group(1);
    came("a's", a.received);
    came("b", b.received);
}

static void group_of_many(void)
{
    struct end c, many[9];
    int all = 0, later = 0;
    three(&c);
    for (int i = 0; i < 9; i++) {
        open_end(&many[i]);
        datagrams(&many[i]);
        receive(&many[i], 10, HEADER + 64);
        receive(&many[i], 11, HEADER + 64);
        need(!ibv_attach_mcast(many[i].qp, &group, 0xc001), "ibv_attach_mcast");
    }
    struct ibv_ah *to = address(&a, &group);
    for (int k = 1; k <= 3; k++)
        throw(&a, to, 0xffffff, (uint64_t)k, a.mr->lkey);
    completions("a", a.sent, 3);
    usleep(200000);
    for (int i = 0; i < 9; i++) {
        struct ibv_wc wc;
        all += ibv_poll_cq(many[i].received, 1, &wc) == 1 && wc.status == IBV_WC_SUCCESS && wc.byte_len == HEADER + 16;
        later += ibv_poll_cq(many[i].received, 1, &wc);
    }
    say(" of 9, %d have the first, %d more", all, later);
}

/* What stands before the data of a datagram from a group, and of one to this queue pair alone. */
static void group_header(void)
{
    struct end c;
    three(&c);
    need(!ibv_attach_mcast(b.qp, &group, 0xc001), "ibv_attach_mcast");
    throw_to_group(1);
    for (int i = 0; i < 2; i++) {
        struct ibv_wc wc = {0};
        union ibv_gid own;
        const struct ibv_grh *header = (const struct ibv_grh *)(const void *)b.memory;
        for (double since = now(); ibv_poll_cq(b.received, 1, &wc) == 0 && now() - since < 2;)
            ;
        need(!ibv_query_gid(a.context, 1, gid_index, &own), "ibv_query_gid");
        int is_of_group = memcmp(&header->dgid, &group, 16) == 0 && memcmp(&header->sgid, &own, 16) == 0;
        say(" %s: %s", i ? "alone" : "group", wc.wc_flags & IBV_WC_GRH ? "a header" : "none");
        if (wc.wc_flags & IBV_WC_GRH)
            say(" %s", be32toh(header->version_tclass_flow) >> 28 == 6 && is_of_group ? "of it" : "of something else");
        struct ibv_ah_attr back;
        if (!i && !ibv_init_ah_from_wc(b.context, 1, &wc, (struct ibv_grh *)(void *)b.memory, &back))
            say(", back: %s", back.is_global && memcmp(&back.grh.dgid, &own, 16) == 0 ? "to the sender" : "elsewhere");
        memset(b.memory, 0, HEADER);
        if (!i) {
            throw(&a, address(&a, NULL), b.qp->qp_num, 2, a.mr->lkey);
            completions("a", a.sent, 1);
        }
    }
}

static void group_with_another_key(void)
{
    struct end c;
    three(&c);
    struct ibv_qp_attr attr = {.qkey = KEY + 1};
    say(" another key: %s", name(ibv_modify_qp(b.qp, &attr, IBV_QP_QKEY)));
    say(", b: %s", name(ibv_attach_mcast(b.qp, &group, 0xc001)));
    say(", c: %s", name(ibv_attach_mcast(c.qp, &group, 0xc001)));
    throw_to_group(1);
    came("b", b.received);
    came("c", c.received);
}

static void group_limits(void)
{
    static const union ibv_gid no_group = {.raw = {0xfe, 0x80, [15] = 7}};
    struct end c;
    three(&c);
    say(" of one: %s", name(ibv_attach_mcast(a.qp, &no_group, 0xc001)));
    say(", not attached: %s", name(ibv_detach_mcast(a.qp, &group, 0xc001)));
    say(", attached: %s", name(ibv_attach_mcast(a.qp, &group, 0xc001)));
    say(", again: %s", name(ibv_attach_mcast(a.qp, &group, 0xc001)));
    say(", destroyed: %s", name(ibv_destroy_qp(a.qp)));
    say(", detached: %s", name(ibv_detach_mcast(a.qp, &group, 0xc001)));
    say(", destroyed: %s", name(ibv_destroy_qp(a.qp)));
    type = IBV_QPT_RC;
    make_qp(&a, 64, DEPTH);
    say(", connected: %s", name(ibv_attach_mcast(a.qp, &group, 0xc001)));
}

/* ---- shared queues of receives ---- */

static struct ibv_srq *shared(struct end *e, int most)
{
    struct ibv_srq_init_attr init = {.attr = {.max_wr = (uint32_t)most, .max_sge = 1}};
    struct ibv_srq *srq = ibv_create_srq(e->pd, &init);
    need(srq != NULL, "ibv_create_srq");
    return srq;
}

static int receive_shared(struct end *e, struct ibv_srq *srq, uint64_t id)
{
    struct ibv_sge sge = {(uintptr_t)e->memory, 64, e->mr->lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1};
    return ibv_post_srq_recv(srq, &wr, &bad);
}

/* Two connected ends, of which `b` takes from a shared queue. */
static struct ibv_srq *pair_shared(int most)
{
    open_end(&a);
    open_end(&b);
    make_qp(&a, 64, DEPTH);
    struct ibv_srq *srq = shared(&b, most);
    need((b.sent = ibv_create_cq(b.context, 64, NULL, NULL, 0)) && (b.received = ibv_create_cq(b.context, 64, NULL, NULL, 0)), "ibv_create_cq");
    struct ibv_qp_init_attr init = {.send_cq = b.sent, .recv_cq = b.received, .srq = srq, .qp_type = IBV_QPT_RC, .cap = {.max_send_wr = DEPTH, .max_send_sge = 1}};
    need((b.qp = ibv_create_qp(b.pd, &init)) != NULL, "ibv_create_qp with a shared queue");
    initialise(&a, all_rights);
    initialise(&b, all_rights);
    connect_to(&a, b.qp->qp_num, patient);
    connect_to(&b, a.qp->qp_num, patient);
    return srq;
}

/* Receives of a shared queue stay for others when a queue pair for datagrams is in error. */
static void shared_ud(void)
{
    open_end(&b);
    datagrams(&b);
    struct ibv_srq *srq = shared(&b, 15);
    struct ibv_qp_init_attr init = {.send_cq = b.sent, .recv_cq = b.received, .srq = srq, .qp_type = IBV_QPT_UD, .cap = {.max_send_wr = DEPTH, .max_send_sge = 1}};
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = KEY};
    need((b.qp = ibv_create_qp(b.pd, &init)) != NULL, "ibv_create_qp with a shared queue");
    need(!ibv_modify_qp(b.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY), "INIT");
    receive_shared(&b, srq, 10);
    say(" to RTR: %s", name(turn(&b, IBV_QPS_RTR, 0)));
    say(", to ERR: %s", name(turn(&b, IBV_QPS_ERR, 0)));
    came("b", b.received);
    say(" to RESET: %s", name(turn(&b, IBV_QPS_RESET, 0)));
}

static int resize(struct ibv_srq *srq, uint32_t most)
{
    struct ibv_srq_attr attr = {.max_wr = most};
    return ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
}

static int fill(struct end *e, struct ibv_srq *srq, int *n)
{
    int error;
    for (*n = 0; !(error = receive_shared(e, srq, (uint64_t)(10 + *n))) && *n < 10000; ++*n)
        ;
    return error;
}

static void shared_resized(void)
{
    struct ibv_srq *srq = pair_shared(15);
    struct ibv_srq_attr attr;
    int before, behind;
    say(" full: %s", name(fill(&b, srq, &before)));
    say(", to 100: %s", name(resize(srq, 100)));
    need(!ibv_query_srq(srq, &attr), "ibv_query_srq");
    say(", has %s", attr.max_wr >= 100 ? "as many at least" : "fewer");
    say(", full: %s", name(fill(&b, srq, &behind)));
    say(" after %s more", before + behind >= 100 ? "as many" : "fewer");
    for (int i = 0; i < 3; i++)
        ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    completions("a", a.sent, 3);
    completions("b", b.received, 3);
}

static void shared_resized_to_less(void)
{
    struct ibv_srq *srq = pair_shared(31);
    struct ibv_device_attr d;
    int before;
    fill(&b, srq, &before);
    ibv_query_device(b.context, &d);
    say(" to fewer than there are: %s", name(resize(srq, 3)));
    say(", to 0: %s", name(resize(srq, 0)));
    say(", to too many: %s", name(resize(srq, (uint32_t)d.max_srq_wr + 1)));
    for (int i = 0; i < 2; i++)
        ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    completions("b", b.received, 2);
}

static void shared_limit(void)
{
    struct ibv_srq *srq = pair_shared(15);
    struct ibv_srq_attr attr = {.srq_limit = 3};
    struct ibv_async_event e;
    for (int i = 0; i < 4; i++)
        receive_shared(&b, srq, (uint64_t)(10 + i));
    say(" limit of 3: %s", name(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT)));
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    completions("b", b.received, 1);
    say(" event %s", event(&b, &e) ? "early" : "none");
    ask_there(&a, &b, IBV_WR_SEND, 2, 64);
    completions("b", b.received, 1);
    say(" event %s", event(&b, &e) && e.event_type == IBV_EVENT_SRQ_LIMIT_REACHED && e.element.srq == srq ? "SRQ_LIMIT_REACHED" : "none");
    need(!ibv_query_srq(srq, &attr), "ibv_query_srq");
    say(" limit is %d", (int)attr.srq_limit);
    ask_there(&a, &b, IBV_WR_SEND, 3, 64);
    completions("b", b.received, 1);
    say(" event %s", event(&b, &e) ? "again" : "none");
    attr.srq_limit = 100;
    say(", limit of more than there may be: %s", name(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT)));
}
