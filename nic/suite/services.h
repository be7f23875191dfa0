/* Probes of unreliable connections, of memory windows and of atomic writes; probes.c includes it. */

/* ---- unreliable connections ---- */

static void unreliable_pair(void)
{
    type = IBV_QPT_UC;
    pair();
}

static void uc_good(void)
{
    unreliable_pair();
    receive(&b, 10, 64);
    receive(&b, 11, 64);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 2, 64);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE_WITH_IMM, 3, 64);
    both(3, 2);
}

static void uc_read(void)
{
    unreliable_pair();
    int error = ask_there(&a, &b, IBV_WR_RDMA_READ, 1, 64);
    if (error)
        say(" refused: %s", strerrorname_np(error));
    else
        both(1, 0);
}

/* What is refused there is dropped; a later message arrives. */
static void behind(int error)
{
    if (error)
        say(" refused: %s", strerrorname_np(error));
    usleep(50000);
    receive(&b, 20, 64);
    ask_there(&a, &b, IBV_WR_SEND, 2, 16);
    both(2, 1);
}

static void uc_bad_rkey(void)
{
    unreliable_pair();
    behind(ask(&a, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)b.memory, b.mr->rkey + 0x5000));
}

static void uc_no_receive(void)
{
    unreliable_pair();
    behind(ask_there(&a, &b, IBV_WR_SEND, 1, 64));
}

static void uc_no_right_of_the_queue_pair(void)
{
    type = IBV_QPT_UC;
    pair_with(64, DEPTH, IBV_ACCESS_LOCAL_WRITE, patient);
    behind(ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64));
}

static void uc_too_long(void)
{
    unreliable_pair();
    receive(&b, 10, 16);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    usleep(50000);
    ask_there(&a, &b, IBV_WR_SEND, 2, 16);
    both(2, 1);
}

/* The same as of a reliable connection. */
static void uc_bad_lkey(void)
{
    type = IBV_QPT_UC;
    bad_lkey();
}

static void uc_bad_lkey_of_receive(void)
{
    type = IBV_QPT_UC;
    bad_lkey_of_receive();
}

static void uc_in_error(void)
{
    unreliable_pair();
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    receive(&b, 10, 64);
    ibv_modify_qp(b.qp, &attr, IBV_QP_STATE);
    ask_there(&a, &b, IBV_WR_SEND, 1, 64);
    both(1, 1);
}

static void uc_destroyed(void)
{
    unreliable_pair();
    ibv_destroy_qp(b.qp);
    ask_there(&a, &b, IBV_WR_RDMA_WRITE, 1, 64);
    completions("a", a.sent, 1);
    state("a", &a);
}

static void uc_states(void)
{
    type = IBV_QPT_UC;
    open_end(&a);
    make_qp(&a, 64, DEPTH);
    initialise(&a, all_rights);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .min_rnr_timer = 1};
    int path = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
    say(" RTR without a path: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)));
    say(", with an RNR timer: %s", name(ibv_modify_qp(a.qp, &attr, path | IBV_QP_MIN_RNR_TIMER)));
    connect_to(&a, a.qp->qp_num, patient);
    attr.qp_state = IBV_QPS_RTS;
    say(", in RTS: a timeout: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT)));
    say(", rights: %s", name(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS)));
}

/* ---- memory windows ---- */

static const unsigned window_rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

static struct ibv_mw *window(enum ibv_mw_type of)
{
    struct ibv_mw *mw = ibv_alloc_mw(b.pd, of);
    need(mw != NULL, "ibv_alloc_mw");
    return mw;
}

/* Binds a window of b's memory, from a place on; the completion is b's. */
static int bind_first(struct ibv_mw *mw, uint64_t id, size_t from, size_t length, unsigned rights)
{
    struct ibv_mw_bind bind = {.wr_id = id, .send_flags = IBV_SEND_SIGNALED};
    bind.bind_info = (struct ibv_mw_bind_info){b.mr, (uintptr_t)b.memory + from, length, rights};
    return ibv_bind_mw(b.qp, mw, &bind);
}

static int post_bind(struct ibv_mw *mw, uint64_t id, uint32_t key, size_t from, size_t length, unsigned rights)
{
    struct ibv_send_wr *bad, wr = {.wr_id = id, .send_flags = IBV_SEND_SIGNALED, .opcode = IBV_WR_BIND_MW};
    wr.bind_mw.mw = mw;
    wr.bind_mw.rkey = key;
    wr.bind_mw.bind_info = (struct ibv_mw_bind_info){b.mr, (uintptr_t)b.memory + from, length, rights};
    return ibv_post_send(b.qp, &wr, &bad);
}

static void invalidate(struct end *e, enum ibv_wr_opcode opcode, uint64_t id, uint32_t key)
{
    struct ibv_send_wr *bad, wr = {.wr_id = id, .send_flags = IBV_SEND_SIGNALED, .opcode = opcode};
    wr.invalidate_rkey = key;
    int error = ibv_post_send(e->qp, &wr, &bad);
    if (error)
        say(" refused: %s", strerrorname_np(error));
}

static void through(uint64_t id, uint32_t key, size_t at, size_t length)
{
    ask(&a, IBV_WR_RDMA_WRITE, id, length, (uintptr_t)b.memory + at, key);
}

static void window_good(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    say(" %s", name(bind_first(mw, 20, 64, 128, window_rights)));
    completions("b's", b.sent, 1);
    through(1, mw->rkey, 64, 128);
    ask(&a, IBV_WR_RDMA_READ, 2, 64, (uintptr_t)b.memory + 64, mw->rkey);
    both(2, 0);
}

static void window_beyond(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    bind_first(mw, 20, 64, 128, window_rights);
    completions("b's", b.sent, 1);
    through(1, mw->rkey, 0, 64);
    both(1, 0);
}

static void window_without_the_right(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    bind_first(mw, 20, 64, 128, IBV_ACCESS_REMOTE_READ);
    completions("b's", b.sent, 1);
    through(1, mw->rkey, 64, 64);
    both(1, 0);
}

static void window_unbound(void)
{
    pair();
    through(1, window(IBV_MW_TYPE_1)->rkey, 0, 64);
    both(1, 0);
}

static void window_bound_anew(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    bind_first(mw, 20, 0, 64, window_rights);
    uint32_t old = mw->rkey;
    bind_first(mw, 21, 64, 64, window_rights);
    completions("b's", b.sent, 2);
    through(1, mw->rkey, 64, 64);
    completions("a", a.sent, 1);
    through(2, old, 0, 64);
    both(1, 0);
}

static void window_of_nothing(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    bind_first(mw, 20, 0, 64, window_rights);
    bind_first(mw, 21, 0, 0, 0);
    completions("b's", b.sent, 2);
    through(1, mw->rkey, 0, 64);
    both(1, 0);
}

static void window_of_a_region_that_may_not(void)
{
    pair();
    struct ibv_mr *was = b.mr;
    b.mr = ibv_reg_mr(b.pd, b.memory, LENGTH, all_rights);
    bind_first(window(IBV_MW_TYPE_1), 20, 0, 64, window_rights);
    completions("b's", b.sent, 1);
    b.mr = was;
    state("b", &b);
}

static void window_in_use(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_1);
    bind_first(mw, 20, 0, 64, window_rights);
    completions("b's", b.sent, 1);
    say(" its region: %s", name(ibv_dereg_mr(b.mr)));
    say(", then %s", name(ibv_dealloc_mw(mw)));
    say(", its region: %s", name(ibv_dereg_mr(b.mr)));
}

static void window_by_the_wrong_call(void)
{
    pair();
    struct ibv_mw *first = window(IBV_MW_TYPE_1), *second = window(IBV_MW_TYPE_2);
    say(" second type by ibv_bind_mw: %s", name(bind_first(second, 20, 0, 64, window_rights)));
    int error = post_bind(first, 21, ibv_inc_rkey(first->rkey), 0, 64, window_rights);
    say(", first by ibv_post_send: %s", error ? name(error) : "");
    if (!error)
        completions("b's", b.sent, 1);
}

static uint32_t second_type(struct ibv_mw *mw)
{
    uint32_t key = ibv_inc_rkey(mw->rkey);
    post_bind(mw, 20, key, 0, 64, window_rights);
    completions("b's", b.sent, 1);
    return key;
}

static void second_window_good(void)
{
    pair();
    through(1, second_type(window(IBV_MW_TYPE_2)), 0, 64);
    both(1, 0);
}

static void second_window_invalidated_here(void)
{
    pair();
    uint32_t key = second_type(window(IBV_MW_TYPE_2));
    invalidate(&b, IBV_WR_LOCAL_INV, 21, key);
    completions("b's", b.sent, 1);
    through(1, key, 0, 64);
    both(1, 0);
}

static void second_window_invalidated_there(void)
{
    pair();
    uint32_t key = second_type(window(IBV_MW_TYPE_2));
    struct ibv_wc wc = {0};
    receive(&b, 10, 64);
    invalidate(&a, IBV_WR_SEND_WITH_INV, 1, key);
    completions("a", a.sent, 1);
    for (double until = now() + 3; now() < until && !ibv_poll_cq(b.received, 1, &wc);)
        ;
    int is_told = (wc.wc_flags & IBV_WC_WITH_INV) && wc.invalidated_rkey == key;
    say(" b[%d:%s] %s", (int)wc.wr_id, status(wc.status), is_told ? "with the key" : "without the key");
    through(2, key, 0, 64);
    both(1, 0);
}

static void second_window_bound_twice(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_2);
    uint32_t key = second_type(mw);
    post_bind(mw, 21, ibv_inc_rkey(key), 64, 64, window_rights);
    completions("b's", b.sent, 1);
    state("b", &b);
}

static void second_window_bound_after_it_was_invalidated(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_2);
    uint32_t key = second_type(mw);
    invalidate(&b, IBV_WR_LOCAL_INV, 21, key);
    post_bind(mw, 22, ibv_inc_rkey(key), 64, 64, window_rights);
    completions("b's", b.sent, 2);
    through(1, ibv_inc_rkey(key), 64, 64);
    both(1, 0);
}

static void second_window_zero_based(void)
{
    pair();
    struct ibv_mw *mw = window(IBV_MW_TYPE_2);
    uint32_t key = ibv_inc_rkey(mw->rkey);
    post_bind(mw, 20, key, 64, 64, window_rights | IBV_ACCESS_ZERO_BASED);
    completions("b's", b.sent, 1);
    a.memory[0] = 7;
    ask(&a, IBV_WR_RDMA_WRITE, 1, 64, 0, key);
    both(1, 0);
    say(" %s", b.memory[64] == 7 ? "there" : "elsewhere");
}

/* Two queue pairs of one protection domain: the window was bound on the other one. */
static void second_window_of_another_queue_pair(void)
{
    pair();
    struct end c = b, d = a;
    make_qp(&c, 64, DEPTH);
    make_qp(&d, 64, DEPTH);
    initialise(&c, all_rights);
    initialise(&d, all_rights);
    connect_to(&c, d.qp->qp_num, patient);
    connect_to(&d, c.qp->qp_num, patient);
    uint32_t key = second_type(window(IBV_MW_TYPE_2));
    ask(&d, IBV_WR_RDMA_WRITE, 1, 64, (uintptr_t)b.memory, key);
    completions("d", d.sent, 1);
}

static void bad_key_invalidated(void)
{
    pair();
    invalidate(&b, IBV_WR_LOCAL_INV, 21, b.mr->rkey + 0x5000);
    completions("b's", b.sent, 1);
    state("b", &b);
}

static void bad_key_invalidated_there(void)
{
    pair();
    receive(&b, 10, 64);
    invalidate(&a, IBV_WR_SEND_WITH_INV, 1, b.mr->rkey + 0x5000);
    both(1, 1);
}

/* ---- atomic writes ---- */

static void atomic_write(void)
{
    pair();
    memcpy(a.memory, "12345678", 8);
    int error = ask_there(&a, &b, IBV_WR_ATOMIC_WRITE, 1, 8);
    if (error) {
        say(" refused: %s", name(error));
        return;
    }
    completions("a", a.sent, 1);
    say(" %s", memcmp(b.memory, "12345678", 8) ? "elsewhere" : "there");
    ask(&a, IBV_WR_ATOMIC_WRITE, 2, 8, (uintptr_t)b.memory + 4, b.mr->rkey);
    both(1, 0);
}

/* ---- extended connections: a asks, b answers with any shared queue of its domain ---- */

static struct ibv_xrcd *domain;
static struct ibv_srq *queues[2];

static struct ibv_srq *extended_queue(struct end *e, struct ibv_xrcd *of)
{
    struct ibv_srq_init_attr_ex init = {.attr = {.max_wr = DEPTH, .max_sge = 1},
                                        .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
                                        .srq_type = IBV_SRQT_XRC,
                                        .pd = e->pd,
                                        .xrcd = of,
                                        .cq = e->received};
    struct ibv_srq *srq = ibv_create_srq_ex(e->context, &init);
    need(srq != NULL, "ibv_create_srq_ex");
    return srq;
}

static int domain_file = -1;

static struct ibv_xrcd *open_domain(void)
{
    struct ibv_xrcd_init_attr init = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = domain_file, .oflags = 0100 /* O_CREAT */};
    return ibv_open_xrcd(b.context, &init);
}

static int extended_pair(void)
{
    open_end(&a);
    open_end(&b);
    domain = open_domain();
    if (!domain) {
        say(" refused: %s", name(errno));
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        struct end *e = i ? &b : &a;
        need((e->sent = ibv_create_cq(e->context, 64, NULL, NULL, 0)) != NULL, "ibv_create_cq");
        need((e->received = ibv_create_cq(e->context, 64, NULL, NULL, 0)) != NULL, "ibv_create_cq");
    }
    struct ibv_qp_init_attr_ex asks = {.qp_type = IBV_QPT_XRC_SEND, .send_cq = a.sent, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = a.pd,
                                       .cap = {.max_send_wr = DEPTH, .max_send_sge = 1}};
    struct ibv_qp_init_attr_ex answers = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = domain};
    need((a.qp = ibv_create_qp_ex(a.context, &asks)) != NULL, "IBV_QPT_XRC_SEND");
    need((b.qp = ibv_create_qp_ex(b.context, &answers)) != NULL, "IBV_QPT_XRC_RECV");
    initialise(&a, all_rights);
    initialise(&b, all_rights);
    connect_to(&a, b.qp->qp_num, patient);
    connect_to(&b, a.qp->qp_num, patient);
    queues[0] = extended_queue(&b, domain);
    queues[1] = extended_queue(&b, domain);
    return 1;
}

static void receive_of(struct ibv_srq *srq, uint64_t id)
{
    struct ibv_sge sge = {(uintptr_t)b.memory, 64, b.mr->lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1};
    need(!ibv_post_srq_recv(srq, &wr, &bad), "ibv_post_srq_recv");
}

static void ask_through(struct ibv_srq *srq, uint32_t number, enum ibv_wr_opcode opcode, uint64_t id)
{
    struct ibv_sge sge = {(uintptr_t)a.memory, 64, a.mr->lkey};
    struct ibv_send_wr *bad, wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
    wr.wr.rdma.remote_addr = (uintptr_t)b.memory;
    wr.wr.rdma.rkey = b.mr->rkey;
    wr.qp_type.xrc.remote_srqn = number;
    need(!srq || !ibv_get_srq_num(srq, &wr.qp_type.xrc.remote_srqn), "ibv_get_srq_num");
    need(!ibv_post_send(a.qp, &wr, &bad), "ibv_post_send");
}

static void xrc_good(void)
{
    if (!extended_pair())
        return;
    receive_of(queues[0], 10);
    receive_of(queues[1], 20);
    ask_through(queues[1], 0, IBV_WR_SEND, 1);
    ask_through(queues[0], 0, IBV_WR_SEND, 2);
    ask_through(queues[0], 0, IBV_WR_RDMA_WRITE, 3);
    ask_through(queues[1], 0, IBV_WR_RDMA_READ, 4);
    both(4, 2);
}

static void xrc_no_such_queue(void)
{
    if (!extended_pair())
        return;
    ask_through(NULL, 0xfffff, IBV_WR_SEND, 1);
    both(1, 0);
}

static void xrc_queue_of_another_domain(void)
{
    if (!extended_pair())
        return;
    ask_through(extended_queue(&b, open_domain()), 0, IBV_WR_RDMA_WRITE, 1);
    both(1, 0);
}

static void xrc_in_use(void)
{
    if (!extended_pair())
        return;
    struct ibv_recv_wr *bad, none = {0};
    struct ibv_send_wr *bad_send, send = {.opcode = IBV_WR_SEND};
    say(" domain: %s", name(ibv_close_xrcd(domain)));
    say(", cq: %s", name(ibv_destroy_cq(b.received)));
    say(", receive: %s", name(ibv_post_recv(b.qp, &none, &bad)));
    say(", send: %s", name(ibv_post_send(b.qp, &send, &bad_send)));
    ibv_destroy_qp(b.qp);
    ibv_destroy_srq(queues[0]);
    ibv_destroy_srq(queues[1]);
    say(", then %s", name(ibv_close_xrcd(domain)));
}

/* A queue of another process that has opened the same file's domain. */
static void xrc_queue_of_another_process(void)
{
    struct shared {
        volatile uint32_t srqn, is_over;
        volatile int status;
    } *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    domain_file = memfd_create("domain", 0);
    pid_t child = fork();
    if (child == 0) {
        struct ibv_wc wc;
        uint32_t number = 0;
        open_end(&b);
        struct ibv_xrcd *of = open_domain();
        if (!of)
            _exit(0);
        need((b.received = ibv_create_cq(b.context, 64, NULL, NULL, 0)) != NULL, "ibv_create_cq");
        struct ibv_srq *srq = extended_queue(&b, of);
        receive_of(srq, 30);
        ibv_get_srq_num(srq, &number);
        s->srqn = number;
        for (double until = now() + 5; now() < until && !ibv_poll_cq(b.received, 1, &wc);)
            s->status = -1;
        s->status = wc.wr_id == 30 && b.memory[0] == 9 ? (int)wc.status : -1;
        s->is_over = 1;
        pause();
    }
    if (extended_pair()) {
        while (!s->srqn)
            usleep(1000);
        a.memory[0] = 9;
        ask_through(NULL, s->srqn, IBV_WR_SEND, 1);
        completions("a", a.sent, 1);
        for (double until = now() + 5; now() < until && !s->is_over;)
            usleep(1000);
        say(" there %s", s->is_over && s->status == 0 ? "SUCCESS" : "nothing");
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
