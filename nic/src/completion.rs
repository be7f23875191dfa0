//! Completions as programs see them.

use crate::layout::*;
use crate::region::Region;
use std::rc::Rc;
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

/// A completion, the queue that it goes into, and the queue pair that fails if there is no room.
struct Told {
    region: Rc<Region>,
    cq: usize,
    of: (Rc<Region>, usize),
    completion: Completion,
}

/// Completions that are told together, in order.
#[derive(Default)]
pub(crate) struct Together {
    all: Vec<Told>,
    /// More come before they are told.
    pub(crate) is_going_on: bool,
}

impl Together {
    /// One more, of a queue and a queue pair of one region.
    pub(crate) fn add(&mut self, region: &Rc<Region>, (cq, qp): (usize, usize), c: Completion) {
        self.add_of(region, cq, (region, qp), c);
    }

    /// One more, of a queue, and of a queue pair wherever that is.
    pub(crate) fn add_of(&mut self, region: &Rc<Region>, cq: usize, of: (&Rc<Region>, usize), c: Completion) {
        self.all.push(Told { region: Rc::clone(region), cq, of: (Rc::clone(of.0), of.1), completion: c });
    }

    /// Tells them. What goes into one queue is there at once.
    pub(crate) fn tell(&mut self) {
        let all = std::mem::take(&mut self.all);
        for of_queue in all.chunk_by(|a, b| Rc::ptr_eq(&a.region, &b.region) && a.cq == b.cq) {
            let Told { region, cq, .. } = &of_queue[0];
            let had_room = complete(region, *cq, of_queue.iter().map(|told| &told.completion));
            of_queue[had_room..].iter().for_each(|told| told.of.0.break_queue(told.of.1));
        }
    }
}

/// Puts completions into a queue, and tells how many had room. One in which some had not takes no more, and its program hears of it: what
/// stood in it before is still there.
fn complete<'c>(region: &Region, cq: usize, all: impl Iterator<Item = &'c Completion>) -> usize {
    let at = CQS + cq.min(CQ_COUNT - 1) * CQ_WORDS;
    let before = region.get(at + CQ_PRODUCED);
    if region.get(at + CQ_OVERRUN) != 0 {
        return 0;
    }
    let room = region.get(at + CQ_ROOM).min(CQES as u64);
    let (mut produced, mut is_urgent) = (before, false);
    for c in all {
        if produced.wrapping_sub(region.get(at + CQ_CONSUMED)) >= room {
            region.set(at + CQ_OVERRUN, 1);
            region.event(CQ_ERR, cq);
            break;
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
        is_urgent |= c.solicited || c.status != OK;
        produced += 1;
    }
    if produced == before {
        return 0;
    }
    region.set(at + CQ_PRODUCED, produced);
    // The program asks for an event and then looks again.
    fence(Ordering::SeqCst);
    let armed = region.get(at + CQ_ARMED);
    if armed == ARMED as u64 || armed == ARMED_SOLICITED as u64 && is_urgent {
        region.set(at + CQ_ARMED, 0);
        region.tell(region.get(at + CQ_CHANNEL), cq as u64);
    }
    usize::try_from(produced - before).unwrap_or(usize::MAX)
}
