//! All that these tests need of a binding to libibverbs: posting requests and receives, and looking for a completion. Here it is
//! rdma-sys; another crate takes over by another file in the place of this one.

use super::verbs::Path;
use rdma_sys::{
    ibv_poll_cq, ibv_post_recv, ibv_post_send, ibv_post_srq_recv, ibv_recv_wr, ibv_send_flags, ibv_send_wr, ibv_sge, ibv_wc,
    ibv_wc_flags, ibv_wc_status, ibv_wr_opcode,
};
use std::ffi::{c_int, c_uint, c_void};

/// The status of a completion of what went well.
pub(super) const SUCCESS: c_int = ibv_wc_status::IBV_WC_SUCCESS as c_int;

/// What a request asks for.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Read,
    Write,
    FetchAdd(i64),
    CompareSwap(i64, i64),
    Send,
    Datagram(Destination),
}

impl Work {
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Work::FetchAdd(_) | Work::CompareSwap(..))
    }
}

/// Where a datagram goes, as the harness says it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Destination {
    address: *mut c_void,
    number: c_uint,
    key: c_uint,
}

/// A request: its work, how many words it is about, whether they go with it, and what it says to the other end beside them.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) work: Work,
    pub(super) words: c_int,
    pub(super) inline: bool,
    pub(super) immediate: Option<c_int>,
}

impl Request {
    /// Of one word, without an immediate.
    pub(super) fn new(work: Work) -> Request {
        Request { work, words: 1, inline: false, immediate: None }
    }
}

/// So many words as bytes.
fn bytes(words: c_int) -> u32 {
    words as u32 * size_of::<i64>() as u32
}

/// Posts a request whose local side is this location; an error number if that fails.
pub(super) fn post(path: &Path, local: *mut i64, request: Request) -> c_int {
    let Request { work, words, inline, immediate } = request;
    let mut sge = ibv_sge { addr: local as u64, length: bytes(words), lkey: path.lkey };
    // SAFETY: all zeros is a request.
    let mut wr: ibv_send_wr = unsafe { std::mem::zeroed() };
    wr.sg_list = &mut sge;
    wr.num_sge = 1;
    wr.send_flags = ibv_send_flags::IBV_SEND_SIGNALED.0;
    if path.fence != 0 {
        wr.send_flags |= ibv_send_flags::IBV_SEND_FENCE.0;
    }
    if inline {
        wr.send_flags |= ibv_send_flags::IBV_SEND_INLINE.0;
    }
    wr.opcode = match (work, immediate) {
        (Work::Read, _) => ibv_wr_opcode::IBV_WR_RDMA_READ,
        (Work::Write, None) => ibv_wr_opcode::IBV_WR_RDMA_WRITE,
        (Work::Write, Some(_)) => ibv_wr_opcode::IBV_WR_RDMA_WRITE_WITH_IMM,
        (Work::FetchAdd(_), _) => ibv_wr_opcode::IBV_WR_ATOMIC_FETCH_AND_ADD,
        (Work::CompareSwap(..), _) => ibv_wr_opcode::IBV_WR_ATOMIC_CMP_AND_SWP,
        (Work::Send | Work::Datagram(_), None) => ibv_wr_opcode::IBV_WR_SEND,
        (Work::Send | Work::Datagram(_), Some(_)) => ibv_wr_opcode::IBV_WR_SEND_WITH_IMM,
    };
    if let Some(immediate) = immediate {
        wr.imm_data_invalidated_rkey_union.imm_data = (immediate as u32).to_be();
    }
    let atomic = |wr: &mut ibv_send_wr, compare_add: i64, swap: i64| {
        wr.wr.atomic.remote_addr = path.remote;
        wr.wr.atomic.rkey = path.rkey;
        wr.wr.atomic.compare_add = compare_add as u64;
        wr.wr.atomic.swap = swap as u64;
    };
    match work {
        Work::FetchAdd(value) => atomic(&mut wr, value, 0),
        Work::CompareSwap(old, new) => atomic(&mut wr, old, new),
        Work::Datagram(to) => {
            wr.wr.ud.ah = to.address.cast();
            wr.wr.ud.remote_qpn = to.number;
            wr.wr.ud.remote_qkey = to.key;
        }
        Work::Read | Work::Write | Work::Send => {
            wr.wr.rdma.remote_addr = path.remote;
            wr.wr.rdma.rkey = path.rkey;
        }
    }
    let mut bad = std::ptr::null_mut();
    // SAFETY: the queue pair is the thread's own, and the location is in memory that the test means.
    unsafe { ibv_post_send(path.qp.cast(), &mut wr, &mut bad) }
}

/// A piece of memory of a receive: where it is, how long, by which key.
pub(super) type Piece = (*mut c_void, u32, c_uint);

/// So many words at a location, by a key.
pub(super) fn piece(at: *mut i64, words: c_int, key: c_uint) -> Piece {
    (at.cast(), bytes(words), key)
}

/// Posts a receive to a queue pair's own queue, or to a shared one; an error number if that fails.
pub(super) fn receive(queue: *mut c_void, shared: bool, pieces: &[Piece], id: c_int) -> c_int {
    let mut sges: Vec<ibv_sge> =
        pieces.iter().map(|(at, length, lkey)| ibv_sge { addr: *at as u64, length: *length, lkey: *lkey }).collect();
    // SAFETY: all zeros is a receive.
    let mut wr: ibv_recv_wr = unsafe { std::mem::zeroed() };
    wr.wr_id = id as u64;
    wr.sg_list = sges.as_mut_ptr();
    wr.num_sge = sges.len() as c_int;
    let mut bad = std::ptr::null_mut();
    // SAFETY: the queue is the node's own, and the pieces are in memory that the test means.
    unsafe {
        if shared { ibv_post_srq_recv(queue.cast(), &mut wr, &mut bad) } else { ibv_post_recv(queue.cast(), &mut wr, &mut bad) }
    }
}

/// What a completion says. A device fills in all of it only if the status is [`SUCCESS`].
pub(super) struct Completion {
    pub(super) status: c_int,
    pub(super) id: c_int,
    pub(super) immediate: Option<c_int>,
    pub(super) bytes: u32,
}

/// Takes a completion if there is one.
pub(super) fn poll(queue: *mut c_void) -> Result<Option<Completion>, c_int> {
    let mut wc = std::mem::MaybeUninit::<ibv_wc>::zeroed();
    // SAFETY: the completion queue is the node's own; what is taken is filled in.
    match unsafe { ibv_poll_cq(queue.cast(), 1, wc.as_mut_ptr()) } {
        0 => Ok(None),
        n if n > 0 => {
            // SAFETY: as above; an immediate is there if the flags say so.
            let (wc, immediate) = unsafe {
                let wc = wc.assume_init();
                let immediate = wc.imm_data_invalidated_rkey_union.imm_data;
                (wc, immediate)
            };
            let good = wc.status as c_int == SUCCESS;
            let has_immediate = good && wc.wc_flags & ibv_wc_flags::IBV_WC_WITH_IMM.0 != 0;
            Ok(Some(Completion {
                status: wc.status as c_int,
                id: wc.wr_id as c_int,
                immediate: has_immediate.then_some(u32::from_be(immediate) as c_int),
                bytes: wc.byte_len,
            }))
        }
        n => Err(-n),
    }
}
