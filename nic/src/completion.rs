//! Completions as programs see them.

use crate::layout::*;
use crate::region::Region;
use std::sync::atomic::{Ordering, fence};

/// A completion as the program sees it.
#[derive(Default)]
pub(crate) struct Completion {
    pub(crate) id: u64,
    pub(crate) status: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) imm: u64,
    pub(crate) flags: u64,
    pub(crate) qpn: u64,
    /// Of a datagram: the queue pair that it came from.
    pub(crate) source: u64,
    pub(crate) solicited: bool,
}

/// Puts a completion into a queue; whether it had room. One that had not takes no more, and its program hears of it: what stood in it
/// before is still there.
pub(crate) fn complete(region: &Region, cq: usize, c: &Completion) -> bool {
    let at = CQS + cq.min(CQ_COUNT - 1) * CQ_WORDS;
    let produced = region.get(at + CQ_PRODUCED);
    if region.get(at + CQ_OVERRUN) != 0 {
        return false;
    }
    let room = region.get(at + CQ_ROOM).min(CQES as u64);
    if produced.wrapping_sub(region.get(at + CQ_CONSUMED)) >= room {
        region.set(at + CQ_OVERRUN, 1);
        region.event(CQ_ERR, cq);
        return false;
    }
    let entry = at + CQ_RING + (produced % CQES as u64) as usize * CQE_WORDS;
    let words = [
        (CQE_ID, c.id),
        (CQE_STATUS, c.status),
        (CQE_OPCODE, c.opcode),
        (CQE_LEN, c.len),
        (CQE_IMM, c.imm),
        (CQE_FLAGS, c.flags),
        (CQE_QPN, c.qpn),
        (CQE_SOURCE, c.source),
    ];
    for (word, value) in words {
        region.set(entry + word, value);
    }
    region.set(at + CQ_PRODUCED, produced + 1);
    // The program asks for an event and then looks again.
    fence(Ordering::SeqCst);
    let armed = region.get(at + CQ_ARMED);
    if armed == ARMED as u64 || armed == ARMED_SOLICITED as u64 && (c.solicited || c.status != OK) {
        region.set(at + CQ_ARMED, 0);
        region.tell(region.get(at + CQ_CHANNEL), cq as u64);
    }
    true
}
