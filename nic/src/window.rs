//! The locations of one queue pair: which bytes of which process each stands for, and the values on their way.

use crate::layout::{MR_VALID, MR_WORDS, MRS};
use crate::region::{self, Piece, Region};
use crate::rules::SLOTS;
use litmpi_spec::external::Memory;
use litmpi_spec::heap::Word;
use nix::unistd::Pid;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Bytes of a process, in the order in which a request names them, and the memory regions that they lie in.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) region: Rc<Region>,
    pub(crate) pid: Pid,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) keys: Vec<usize>,
}

impl Place {
    /// How many bytes.
    pub(crate) fn len(&self) -> u64 {
        self.pieces.iter().map(|p| p.1).sum()
    }

    fn registered(&self) -> bool {
        self.keys.iter().all(|k| self.region.get(MRS + k * MR_WORDS + MR_VALID) != 0)
    }
}

/// What a receiver is told once a message is in its memory.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub(crate) region: usize,
    pub(crate) cq: usize,
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) imm: u64,
    pub(crate) flags: u64,
    pub(crate) qpn: u64,
}

#[derive(Default)]
struct Inside {
    local: Vec<Place>,
    remote: Vec<Place>,
    values: Vec<Vec<u8>>,
    /// For each write of the other node that is to come, whom to tell.
    coming: VecDeque<Option<Arrival>>,
    arrived: Vec<Arrival>,
    lost: bool,
}

/// The memory that the rules of one queue pair see. A location is a slot; the same bytes are the same slot, so that
/// rules that compare locations compare bytes. Limit: ranges that overlap and are not equal are different locations,
/// which matters only without the PCIe guarantee, where a read may be served from a write that is pending.
#[derive(Default)]
pub(crate) struct Window(RefCell<Inside>);

impl Window {
    /// Whether a request has room.
    pub(crate) fn has_room(&self) -> bool {
        let i = self.0.borrow();
        i.local.len() < SLOTS && i.remote.len() < SLOTS
    }

    /// The location that stands for bytes of the asking process.
    pub(crate) fn local(&self, place: Place) -> Word {
        slot(&mut self.0.borrow_mut().local, place)
    }

    /// The location that stands for bytes of the other process.
    pub(crate) fn remote(&self, place: Place) -> Word {
        SLOTS as Word + slot(&mut self.0.borrow_mut().remote, place)
    }

    /// A value that came with a request.
    pub(crate) fn value(&self, bytes: Vec<u8>) -> Word {
        self.0.borrow_mut().push(bytes)
    }

    /// A write to the other node will come; whom to tell.
    pub(crate) fn expect(&self, arrival: Option<Arrival>) {
        self.0.borrow_mut().coming.push_back(arrival);
    }

    /// What has arrived since the last call.
    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        std::mem::take(&mut self.0.borrow_mut().arrived)
    }

    /// Forgets everything; whether some memory could not be reached. For an idle queue pair.
    pub(crate) fn clear(&self) -> bool {
        std::mem::take(&mut *self.0.borrow_mut()).lost
    }
}

fn slot(slots: &mut Vec<Place>, place: Place) -> Word {
    let same = |p: &Place| p.pid == place.pid && p.pieces == place.pieces;
    let at = slots.iter().position(same).unwrap_or_else(|| {
        slots.push(place);
        slots.len() - 1
    });
    at as Word
}

impl Inside {
    fn push(&mut self, bytes: Vec<u8>) -> Word {
        let at = self.values.iter().position(|v| *v == bytes && bytes.len() <= 8).unwrap_or_else(|| {
            self.values.push(bytes);
            self.values.len() - 1
        });
        at as Word
    }

    fn place(&self, loc: usize) -> Option<&Place> {
        if loc < SLOTS { self.local.get(loc) } else { self.remote.get(loc - SLOTS) }
    }
}

impl Memory for Window {
    fn load(&self, loc: usize) -> Word {
        let mut i = self.0.borrow_mut();
        let bytes =
            i.place(loc).filter(|p| p.registered()).and_then(|p| Some((region::read(p.pid, &p.pieces)?, p.len())));
        i.lost |= bytes.is_none();
        i.push(bytes.map_or_else(Vec::new, |(b, _)| b))
    }

    fn store(&self, loc: usize, value: Word) {
        let mut i = self.0.borrow_mut();
        let bytes = i.values.get(value as usize).cloned().unwrap_or_default();
        let done = i.place(loc).filter(|p| p.registered()).and_then(|p| region::write(p.pid, &p.pieces, &bytes));
        i.lost |= done.is_none();
        if loc >= SLOTS
            && let Some(Some(arrival)) = i.coming.pop_front()
        {
            i.arrived.push(arrival);
        }
    }
}
