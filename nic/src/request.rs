//! Work requests as programs post them, checked: keys, ranges, access, and who is at the other end.

use crate::layout::*;
use crate::place::{Place, Registered};
use crate::region::{Piece, Region};
use crate::rules::is_inline;
use std::rc::Rc;

/// A request of a send ring, as it stands there.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) flags: u64,
    pub(crate) addr: u64,
    pub(crate) rkey: u64,
    pub(crate) imm: u64,
    /// Operands of an atomic operation.
    pub(crate) compare_add: u64,
    pub(crate) swap: u64,
    pub(crate) sges: Vec<(u64, u64, u64)>,
    pub(crate) inline: Vec<u8>,
}

/// A posted receive.
#[derive(Debug, Clone)]
pub(crate) struct Receive {
    pub(crate) id: u64,
    pub(crate) sges: Vec<(u64, u64, u64)>,
}

/// Where a queue pair's words begin.
pub(crate) fn qp_at(index: usize) -> usize {
    QPS + index * QP_WORDS
}

/// The number that programs know a queue pair by.
pub(crate) fn qpn(number: usize, index: usize) -> u64 {
    ((number + 1) * QP_COUNT + index) as u64
}

/// The completion queue that a word of a queue pair names: that of its requests, or of its receives.
pub(crate) fn cq_of(region: &Region, index: usize, word: usize) -> usize {
    usize::try_from(region.get(qp_at(index) + word)).unwrap_or(0)
}

fn sges(region: &Region, at: usize, n: u64, most: usize) -> Vec<(u64, u64, u64)> {
    let n = usize::try_from(n).unwrap_or(0).min(most);
    (0..n).map(|i| at + 3 * i).map(|at| (region.get(at), region.get(at + 1), region.get(at + 2))).collect()
}

impl Request {
    pub(crate) fn read(region: &Region, index: usize, number: u64) -> Request {
        let at = qp_at(index) + QP_SEND_RING + (number % SENDS as u64) as usize * WQE_WORDS;
        let word = |i: usize| region.get(at + i);
        let flags = word(WQE_FLAGS);
        let mut inline = vec![];
        if flags & SEND_INLINE != 0 {
            let len = (word(WQE_INLINE_LEN) as usize).min(INLINE);
            inline = (0..len.div_ceil(8)).flat_map(|i| word(WQE_INLINE + i).to_ne_bytes()).take(len).collect();
        }
        Request {
            id: word(WQE_ID),
            opcode: word(WQE_OPCODE),
            flags,
            addr: word(WQE_ADDR),
            rkey: word(WQE_RKEY),
            imm: word(WQE_IMM),
            compare_add: word(WQE_COMPARE_ADD),
            swap: word(WQE_SWAP),
            sges: sges(region, at + WQE_SGE, word(WQE_NSGE), SGES),
            inline,
        }
    }

    /// Bytes that it moves.
    pub(crate) fn len(&self) -> u64 {
        if is_inline(self.opcode, self.flags) {
            return self.inline.len() as u64;
        }
        self.sges.iter().map(|s| s.1).fold(0, u64::saturating_add)
    }

    /// Whether it reads, changes and writes.
    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self.opcode, WR_CMP_SWP | WR_FETCH_ADD)
    }

    /// Whether it brings something: a read or an atomic operation.
    pub(crate) fn brings(&self) -> bool {
        self.opcode == WR_READ || self.is_atomic()
    }

    /// The right to the other side's memory that it needs.
    pub(crate) fn access(&self) -> u64 {
        match self.opcode {
            WR_READ => REMOTE_READ,
            _ if self.is_atomic() => REMOTE_ATOMIC,
            _ => REMOTE_WRITE,
        }
    }

    /// The opcode of its completion.
    pub(crate) fn completion(&self) -> u64 {
        match self.opcode {
            WR_READ => WC_READ,
            WR_CMP_SWP => WC_CMP_SWP,
            WR_FETCH_ADD => WC_FETCH_ADD,
            WR_SEND | WR_SEND_IMM => WC_SEND,
            _ => WC_WRITE,
        }
    }
}

/// Where receives are taken from: how many were posted and taken, and their ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receives {
    /// Whether queue pairs share it.
    pub(crate) is_shared: bool,
    posted: usize,
    taken: usize,
    ring: usize,
}

impl Receives {
    /// Those of a queue pair: its own, or a queue that several share.
    pub(crate) fn of(region: &Region, index: usize) -> Receives {
        let at = qp_at(index);
        let shared = usize::try_from(region.get(at + QP_SRQ)).ok().and_then(|n| n.checked_sub(1));
        match shared.map(|n| SRQS + n.min(SRQ_COUNT - 1) * SRQ_WORDS) {
            Some(at) => {
                Receives { is_shared: true, posted: at + SRQ_POSTED, taken: at + SRQ_TAKEN, ring: at + SRQ_RING }
            }
            None => {
                Receives { is_shared: false, posted: at + QP_RPOSTED, taken: at + QP_RTAKEN, ring: at + QP_RECV_RING }
            }
        }
    }

    /// The first, if there is one.
    pub(crate) fn first(&self, region: &Region) -> Option<Receive> {
        let next = region.get(self.taken);
        let at = self.ring + (next % RECVS as u64) as usize * RECV_WORDS;
        (next < region.get(self.posted)).then(|| Receive {
            id: region.get(at + RECV_ID),
            sges: sges(region, at + RECV_SGE, region.get(at + RECV_NSGE), RECV_SGES),
        })
    }

    /// Takes it.
    pub(crate) fn take(&self, region: &Region) {
        region.set(self.taken, region.get(self.taken).wrapping_add(1));
    }
}

/// The memory region that a key of this region's names.
fn mr_of(number: usize, key: u64) -> Option<usize> {
    let key = usize::try_from(key).ok()?;
    (key / MR_COUNT == number + 1).then_some(key % MR_COUNT)
}

/// One range, as bytes of the process, if the key allows the access to all of it.
fn piece(
    region: &Region,
    number: usize,
    (addr, len, key): (u64, u64, u64),
    access: u64,
) -> Option<(Piece, Registered)> {
    let mr = mr_of(number, key)?;
    let word = |i: usize| region.get(MRS + mr * MR_WORDS + i);
    let generation = word(MR_VALID);
    let offset = addr.checked_sub(word(MR_IOVA))?;
    let inside = offset.checked_add(len)? <= word(MR_LEN);
    (generation != 0 && inside && word(MR_ACCESS) & access == access).then(|| {
        let registered = Registered { mr, generation, mapped: region.mapped(mr, generation) };
        ((word(MR_ADDR).wrapping_add(offset), len), registered)
    })
}

/// Ranges of a process as a place, if every key allows the access.
pub(crate) fn place(region: &Rc<Region>, number: usize, ranges: &[(u64, u64, u64)], access: u64) -> Option<Place> {
    let (mut pieces, mut registered) = (vec![], vec![]);
    for range in ranges.iter().filter(|r| r.1 > 0) {
        let (piece, of_piece) = piece(region, number, *range, access)?;
        pieces.push(piece);
        registered.push(of_piece);
    }
    Some(Place { region: Rc::clone(region), pid: region.pid(), pieces, registered })
}
