//! Registers and locations that nobody looks at: what is written there changes nothing, so that states which differ there alone
//! are one.
//!
//! Nobody says beforehand which these are. A search forgets those that are not observed and that nobody has looked at so far,
//! and the machine notes where rules and programs look. Up to the first time that one looks at something forgotten, the search
//! was the one of the program, since no step has depended on what was left out; from then on it is worth nothing, and has to be
//! done again with less forgotten. One that ends without has found every outcome: from step to step, what a state of the
//! program does is what the state does in which these slots are as they were at first.

use crate::machine::Machine;
use crate::reduce::Bits;
use crate::written::Written;
use litmpi_spec::heap::Word;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of who looks where.
#[derive(Debug)]
pub(crate) struct Looks {
    /// Slots whose values are not kept.
    forgotten: Bits,
    any: bool,
    /// By slot of a register or of memory: whether somebody has looked there.
    seen: Vec<AtomicBool>,
    /// Whether somebody has looked at a slot that is forgotten.
    missed: AtomicBool,
}

impl Looks {
    /// Nobody has looked anywhere in a state of that width, and nothing is forgotten.
    pub(crate) fn new(width: usize) -> Looks {
        let seen = (0..width).map(|_| AtomicBool::new(false)).collect();
        Looks { forgotten: Bits::new(width), any: false, seen, missed: AtomicBool::new(false) }
    }

    /// States are that wide from here on.
    pub(crate) fn grow(&mut self, width: usize) {
        self.seen.resize_with(width, || AtomicBool::new(false));
    }

    /// Somebody looks at a slot.
    #[inline]
    pub(crate) fn look(&self, slot: usize) {
        if !self.seen[slot].load(Ordering::Relaxed) {
            self.seen[slot].store(true, Ordering::Relaxed);
        }
        if self.any && self.forgotten.has(slot) {
            self.missed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether what is written to a slot is not kept.
    pub(crate) fn drops(&self, slot: usize) -> bool {
        self.any && self.forgotten.has(slot)
    }
}

impl Machine {
    /// Registers and locations that nobody has looked at so far, by slot.
    pub fn unseen(&self) -> Vec<usize> {
        let threads = self.program.threads.len();
        let registers = threads..threads + self.reg_types.len();
        let locations = (0..self.program.locs.len()).filter_map(|l| self.loc_slot(l));
        registers.chain(locations).filter(|s| !self.has_seen(*s)).collect()
    }

    /// Whether somebody has looked at a register or location.
    pub fn has_seen(&self, slot: usize) -> bool {
        self.looks.seen[slot].load(Ordering::Relaxed)
    }

    /// From here on, what is written to these slots is not kept.
    pub fn forget(&mut self, slots: &[usize]) {
        slots.iter().for_each(|s| self.looks.forgotten.add(*s));
        self.looks.any = !self.looks.forgotten.is_empty();
        self.remembered.forget();
    }

    /// Whether somebody has looked at a slot that is forgotten: what was found since then is worth nothing.
    pub fn has_missed(&self) -> bool {
        self.looks.missed.load(Ordering::Relaxed)
    }

    /// Takes back what a step wrote to slots that are forgotten.
    pub(crate) fn drop_forgotten(&self, state: &[Word], next: &mut [Word], written: &mut Written) {
        if self.looks.any {
            written.retain(|slot| {
                let drops = self.looks.forgotten.has(slot);
                if drops {
                    next[slot] = state[slot];
                }
                !drops
            });
        }
    }
}
