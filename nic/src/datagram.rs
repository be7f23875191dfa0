//! Datagrams: what a request of a queue pair that is not connected asks for. When one is on its way, lost or delivered, the
//! rules of `spec/verbs/datagrams.spec` say.

use crate::keys::{Use, place};
use crate::layout::{LOC_LEN_ERR, LOC_PROT_ERR, MTU, SOLICITED, WC_RECV, WR_SEND_IMM};
use crate::queue::{Local, Want};
use crate::region::Region;
use crate::request::{Request, pd_of};
use crate::rules::is_inline;
use crate::window::{Header, Party};
use std::rc::Rc;

/// What a request asks for, to be sent to a queue pair, or to none.
pub(crate) fn wanted((region, number, index): (&Rc<Region>, usize, usize), request: &Request, to: Party) -> Want {
    let failure = |status| Want::Failure { status, remote: false };
    let data = if is_inline(request.opcode, request.flags) {
        Local::Bytes(request.inline.clone())
    } else {
        match place((region, number), &request.sges, Use::own(0, pd_of(region, index))) {
            Some(place) => Local::Place(place),
            None => return failure(LOC_PROT_ERR),
        }
    };
    if request.len() > MTU as u64 {
        return failure(LOC_LEN_ERR);
    }
    let imm = (request.opcode == WR_SEND_IMM).then_some(request.imm);
    let solicited = request.flags & SOLICITED != 0;
    let header = Header { imm, opcode: WC_RECV, solicited, invalidates: None, route: request.route.clone() };
    Want::Datagram { to, data, header }
}
