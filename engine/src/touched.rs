//! What evaluation looked at and wrote.

use crate::reduce::Few;
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// What evaluation read and wrote of a state, by slot.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    pub(crate) reads: RefCell<Few>,
    pub(crate) writes: RefCell<Few>,
    /// Of what was read, what somebody must write before something is enabled that is not: premises that held have no part in it,
    /// unless they bind names.
    pub(crate) blocks: RefCell<Few>,
    /// All slots that were looked at, each once, in the order of the first time: evaluation in a state that has the same
    /// there goes the same way.
    pub(crate) order: RefCell<Vec<u32>>,
    /// The same as a set.
    pub(crate) looked: RefCell<Few>,
    /// Whether a process was asked how it goes on ([`crate::unfold`]).
    pub(crate) asked: Cell<bool>,
    /// It is for a walk, which chooses among all transitions: only what was looked at is noted, and whether that was read or is written,
    /// and what the transitions are said to commute with, is not found out.
    pub(crate) walks: bool,
}

impl Touched {
    /// For a walk.
    pub(crate) fn of_walk() -> Touched {
        Touched { walks: true, ..Touched::default() }
    }

    pub(crate) fn clear(&self) {
        self.reads.borrow_mut().clear();
        self.writes.borrow_mut().clear();
        self.blocks.borrow_mut().clear();
        self.looked.borrow_mut().clear();
        self.order.borrow_mut().clear();
        self.asked.set(false);
    }

    /// Notes what the way on depends on.
    pub(crate) fn look(&self, slot: usize) {
        if self.looked.borrow_mut().add(slot) {
            self.order.borrow_mut().push(slot as u32);
        }
    }

    pub(crate) fn read(&self, slots: Range<usize>, aside: bool) {
        for s in slots {
            self.look(s);
            if !aside && !self.walks {
                self.reads.borrow_mut().add(s);
                self.blocks.borrow_mut().add(s);
            }
        }
    }

    pub(crate) fn wrote(&self, slots: &[usize]) {
        if self.walks {
            return;
        }
        let mut writes = self.writes.borrow_mut();
        slots.iter().for_each(|s| _ = writes.add(*s));
    }
}
