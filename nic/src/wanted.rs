//! What a request of a connected queue pair asks for: checked against keys, lengths and rights, so that rules see only whether it can be
//! carried out. What becomes of one that cannot, they say.

use crate::keys::{Change, Use, is_window_of, may_change, place};
use crate::layout::*;
use crate::queue::{Local, Want};
use crate::region::Region;
use crate::request::{Request, pd_of, qp_at, qpn, srq_at};
use crate::rules::is_inline;
use crate::window::Header;
use std::rc::Rc;

/// A queue pair: its region, the number of that, and its own.
pub(crate) type At<'a> = (&'a Rc<Region>, usize, usize);

/// What there is at the other end: the memory's region and the number of that, what the queue pair there may be asked for, its protection
/// domain, and its number.
pub(crate) struct There {
    pub(crate) region: Rc<Region>,
    pub(crate) number: usize,
    pub(crate) access: u64,
    pub(crate) pd: u64,
    pub(crate) qpn: u64,
}

impl There {
    /// Of a queue pair.
    pub(crate) fn of((region, number, index): At<'_>) -> There {
        let access = region.get(qp_at(index) + QP_ACCESS);
        There { region: Rc::clone(region), number, access, pd: pd_of(region, index), qpn: qpn(number, index) }
    }

    /// Of an extended connection: memory is that of a shared queue's process, and its protection domain counts.
    pub(crate) fn through(self, region: &Rc<Region>, (number, srq): (usize, usize)) -> There {
        There { region: Rc::clone(region), number, pd: region.get(srq_at(srq) + SRQ_PD), ..self }
    }
}

/// A request that names no shared queue of the other end's domain: it is refused.
pub(crate) fn nowhere() -> Want {
    there(REM_INV_REQ_ERR)
}

fn here(status: u64) -> Want {
    Want::Failure { status, remote: false }
}

fn there(status: u64) -> Want {
    Want::Failure { status, remote: true }
}

/// What a request asks for of keys of its own process, if it does; a failure, if it may not.
pub(crate) fn change((region, number, index): At<'_>, request: &Request) -> Option<Want> {
    let [window, of, len, access] = request.bind;
    let change = match request.opcode {
        WR_LOCAL_INV => Change::Invalidate { key: request.rkey },
        WR_BIND => {
            let window = usize::try_from(window).unwrap_or(usize::MAX);
            Change::Bind { window, key: request.rkey, of, addr: request.addr, len, access }
        }
        _ => return None,
    };
    let may = may_change((region, number), change, (pd_of(region, index), qpn(number, index)));
    Some(if may { Want::Change(change) } else { here(MW_BIND_ERR) })
}

/// What a request asks for, of its own end and of the other one; a failure, if its keys or its lengths do not allow it.
pub(crate) fn wanted((region, number, index): At<'_>, other: &There, request: &Request) -> Want {
    let data = if is_inline(request.opcode, request.flags) {
        Local::Bytes(request.inline.clone())
    } else {
        let access = if request.brings() { LOCAL_WRITE } else { 0 };
        match place((region, number), &request.sges, Use::own(access, pd_of(region, index))) {
            Some(place) => Local::Place(place),
            None => return here(LOC_PROT_ERR),
        }
    };
    let is_word = request.is_atomic() || request.opcode == WR_ATOMIC_WRITE;
    if is_word && request.len() != 8 {
        return here(LOC_LEN_ERR);
    }
    if is_word && !request.addr.is_multiple_of(8) {
        return there(REM_INV_REQ_ERR);
    }
    let invalidates = (request.opcode == WR_SEND_INV).then_some(request.rkey);
    if invalidates.is_some_and(|key| !is_window_of(&other.region, other.number, key, other.qpn)) {
        return there(REM_ACCESS_ERR);
    }
    let header = Header {
        imm: matches!(request.opcode, WR_SEND_IMM | WR_WRITE_IMM).then_some(request.imm),
        opcode: if request.opcode == WR_WRITE_IMM { WC_RECV_IMM } else { WC_RECV },
        solicited: request.flags & SOLICITED != 0,
        invalidates,
        route: None,
    };
    if matches!(request.opcode, WR_SEND | WR_SEND_IMM | WR_SEND_INV) {
        return Want::Message { to: None, data, header };
    }
    let access = request.access();
    // The queue pair there does not do that at all; or does it, and not to this memory.
    if other.access & access != access {
        return there(REM_INV_REQ_ERR);
    }
    let range = (request.addr, request.len(), request.rkey);
    let by = Use { access, pd: other.pd, asked: Some(other.qpn) };
    let Some(remote) = place((&other.region, other.number), &[range], by) else { return there(REM_ACCESS_ERR) };
    match (request.opcode, data) {
        (WR_WRITE_IMM, data) => Want::Message { to: Some(remote), data, header },
        (WR_READ, Local::Place(to)) => Want::Read(to, remote),
        (WR_FETCH_ADD, Local::Place(to)) => Want::Add(to, remote, request.compare_add),
        (WR_CMP_SWP, Local::Place(to)) => Want::Swap(to, remote, request.compare_add, request.swap),
        (_, data) => Want::Write(remote, data),
    }
}
