//! Datagrams: messages between queue pairs that are not connected. The papers have none, so no rule is run: a datagram is
//! copied when it is taken, or dropped where nobody has a receive for it. Programs use them to find each other.

use crate::completion::{Completion, complete};
use crate::layout::*;
use crate::region::Region;
use crate::request::{Receives, Request, cq_of, place, qp_at, qpn};
use crate::rules::is_inline;
use std::rc::Rc;

/// Bytes before the data that a receiver keeps for a routing header.
const HEADER: u64 = 40;

/// A queue pair: its region, the region's number, and its own there.
type Party<'a> = (&'a Rc<Region>, usize, usize);

/// Sends what a request of a queue pair of datagrams asks for.
pub(crate) fn send(from: Party<'_>, request: &Request, to: Option<Party<'_>>) {
    let (region, number, index) = from;
    let data = if is_inline(request.opcode, request.flags) {
        Some(request.inline.clone())
    } else {
        place(region, number, &request.sges, 0).and_then(|p| p.read())
    };
    let status = match &data {
        _ if region.get(qp_at(index) + QP_STATE) != RTS => WR_FLUSH_ERR,
        None => LOC_PROT_ERR,
        Some(data) if data.len() > MTU => LOC_LEN_ERR,
        Some(_) => OK,
    };
    if let (Some(to), Some(data), OK) = (to, data, status) {
        arrive(to, request, &data, qpn(number, index));
    }
    if request.flags & SIGNALED != 0 || status != OK {
        let (id, qpn) = (request.id, qpn(number, index));
        let done = Completion { id, opcode: WC_SEND, qpn, status, ..Completion::default() };
        complete(region, cq_of(region, index, QP_SEND_CQ), &done);
    }
    if status != OK {
        region.break_queue(qp_at(index));
    }
}

/// The datagram takes a receive; without one, or where it does not fit, it is lost.
fn arrive((region, number, index): Party<'_>, request: &Request, data: &[u8], source: u64) {
    let at = qp_at(index);
    let state = region.get(at + QP_STATE);
    if region.get(at + QP_TYPE) != DATAGRAMS
        || region.get(at + QP_QKEY) != request.rkey
        || (state != RTR && state != RTS)
    {
        return;
    }
    let receives = Receives::of(region, index);
    let Some(receive) = receives.first(region) else { return };
    let len = HEADER + data.len() as u64;
    let Some(into) = place(region, number, &receive.sges, LOCAL_WRITE).filter(|p| p.len() >= len) else { return };
    let message: Vec<u8> = std::iter::repeat_n(0, HEADER as usize).chain(data.iter().copied()).collect();
    if into.write(&message).is_none() {
        return;
    }
    receives.take(region);
    let with_imm = request.opcode == WR_SEND_IMM;
    let done = Completion {
        id: receive.id,
        opcode: WC_RECV,
        len,
        imm: request.imm,
        flags: if with_imm { WC_WITH_IMM } else { 0 },
        qpn: qpn(number, index),
        source,
        solicited: request.flags & SOLICITED != 0,
        ..Completion::default()
    };
    complete(region, cq_of(region, index, QP_RECV_CQ), &done);
}
