//! All that these tests need of a binding to libibverbs: posting a work request, and looking for a completion. Here it is
//! rdma-sys; another crate takes over by another file in the place of this one.

use super::verbs::Path;
use rdma_sys::{ibv_poll_cq, ibv_post_send, ibv_send_flags, ibv_send_wr, ibv_sge, ibv_wc, ibv_wr_opcode};
use std::ffi::c_int;

/// What a request asks for.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Read,
    Write { inline: bool },
    FetchAdd(i64),
    CompareSwap(i64, i64),
}

impl Work {
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Work::FetchAdd(_) | Work::CompareSwap(..))
    }
}

/// Posts a request whose local side is this location; an error number if that fails.
pub(super) fn post(path: &Path, local: *mut i64, work: Work) -> c_int {
    let mut sge = ibv_sge { addr: local as u64, length: size_of::<i64>() as u32, lkey: path.lkey };
    // SAFETY: all zeros is a request.
    let mut wr: ibv_send_wr = unsafe { std::mem::zeroed() };
    wr.sg_list = &mut sge;
    wr.num_sge = 1;
    wr.send_flags = ibv_send_flags::IBV_SEND_SIGNALED.0;
    if path.fence != 0 {
        wr.send_flags |= ibv_send_flags::IBV_SEND_FENCE.0;
    }
    let (compare_add, swap) = match work {
        Work::FetchAdd(value) => (value, 0),
        Work::CompareSwap(old, new) => (old, new),
        Work::Read | Work::Write { .. } => (0, 0),
    };
    wr.opcode = match work {
        Work::Read => ibv_wr_opcode::IBV_WR_RDMA_READ,
        Work::Write { .. } => ibv_wr_opcode::IBV_WR_RDMA_WRITE,
        Work::FetchAdd(_) => ibv_wr_opcode::IBV_WR_ATOMIC_FETCH_AND_ADD,
        Work::CompareSwap(..) => ibv_wr_opcode::IBV_WR_ATOMIC_CMP_AND_SWP,
    };
    if work.is_atomic() {
        wr.wr.atomic.remote_addr = path.remote;
        wr.wr.atomic.rkey = path.rkey;
        wr.wr.atomic.compare_add = compare_add as u64;
        wr.wr.atomic.swap = swap as u64;
    } else {
        wr.wr.rdma.remote_addr = path.remote;
        wr.wr.rdma.rkey = path.rkey;
    }
    if let Work::Write { inline: true } = work {
        wr.send_flags |= ibv_send_flags::IBV_SEND_INLINE.0;
    }
    let mut bad = std::ptr::null_mut();
    // SAFETY: the queue pair is the thread's own, and the location is in registered memory.
    unsafe { ibv_post_send(path.qp.cast(), &mut wr, &mut bad) }
}

/// Takes a completion if there is one: its status.
pub(super) fn poll(path: &Path) -> Result<Option<c_int>, c_int> {
    let mut wc = std::mem::MaybeUninit::<ibv_wc>::uninit();
    // SAFETY: the completion queue is the thread's own; what is taken is filled in.
    match unsafe { ibv_poll_cq(path.cq.cast(), 1, wc.as_mut_ptr()) } {
        0 => Ok(None),
        // SAFETY: as above.
        n if n > 0 => Ok(Some(unsafe { wc.assume_init() }.status as c_int)),
        n => Err(-n),
    }
}
