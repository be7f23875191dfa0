//! Queues of receives: the ring that the program posts into, and the queue that the rules take from.
//!
//! Posting is a store into a region; the device learns of a receive when it takes it from the ring. Then it is posted by the rule for
//! that, and from there on the rules say which message takes it, and when that is told.

use crate::interface::{FAR, NEAR, RECEIVES, SHARED, SHARES, keeps};
use crate::layout::*;
use crate::place::Place;
use crate::region::Region;
use crate::request::{Receives, place};
use crate::rules::{Rules, SLOTS};
use litmpi_spec::diag::Report;
use litmpi_spec::external::Memory;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::types::Sort;
use std::cell::Cell;
use std::rc::Rc;

/// Receives that the rules see at a time.
const VISIBLE: usize = 8;
/// The first location of a receive: locations of queue pairs stand before.
const FIRST: usize = 2 * SLOTS;

/// A receive that the rules see.
struct Seen {
    id: u64,
    /// None if its key does not allow writing there.
    place: Option<Place>,
}

/// A queue of receives, of one queue pair or shared.
pub(crate) struct ReceiveQueue {
    region: Rc<Region>,
    number: usize,
    ring: Receives,
    pub(crate) is_shared: bool,
    /// What the state variable holds.
    pub(crate) word: Cell<Word>,
    seen: Vec<Option<Seen>>,
}

impl ReceiveQueue {
    pub(crate) fn new(region: &Rc<Region>, number: usize, ring: Receives) -> ReceiveQueue {
        let is_shared = ring.is_shared;
        let seen = (0..VISIBLE).map(|_| None).collect();
        ReceiveQueue { region: Rc::clone(region), number, ring, is_shared, word: Cell::new(EMPTY), seen }
    }

    /// Whether it is the ring that these words are of.
    pub(crate) fn is_of(&self, number: usize, ring: &Receives) -> bool {
        self.number == number && self.ring == *ring
    }

    /// Takes what was posted, as far as there is room; whether there was anything.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(crate) fn take(&mut self, rules: &Rules) -> Result<bool, Report> {
        let mut any = false;
        while let Some(free) = self.seen.iter().position(Option::is_none) {
            let Some(receive) = self.ring.first(&self.region) else { break };
            let place = place(&self.region, self.number, &receive.sges, LOCAL_WRITE);
            // A message fits into no receive that may not be written.
            let room = place.as_ref().map_or(Word::MAX, |p| Word::try_from(p.len()).unwrap_or(Word::MAX >> 1));
            self.seen[free] = Some(Seen { id: receive.id, place });
            self.ring.take(&self.region);
            rules.post_receive(self.is_shared, ((FIRST + free) as Word, room, free as Word), &*self)?;
            any = true;
        }
        Ok(any)
    }

    /// The place of a location that is a receive's.
    pub(crate) fn place(&self, loc: usize) -> Option<&Place> {
        self.seen.get(loc.checked_sub(FIRST)?)?.as_ref()?.place.as_ref()
    }

    /// A receive is over: what the program calls it.
    pub(crate) fn release(&mut self, id: Word) -> Option<u64> {
        Some(self.seen.get_mut(id as usize)?.take()?.id)
    }
}

/// While a receive is posted, nothing else is there.
impl Memory for ReceiveQueue {
    fn keeps(&self, var: &str, _: &[Sort]) -> bool {
        keeps(var)
    }

    fn load(&self, var: &str, _: usize) -> Word {
        match var {
            SHARES => Word::from(self.is_shared),
            RECEIVES if !self.is_shared => self.word.get(),
            SHARED if self.is_shared => self.word.get(),
            NEAR | FAR => RTS as Word,
            _ => EMPTY,
        }
    }

    fn store(&self, var: &str, _: usize, value: Word) {
        if var == RECEIVES || var == SHARED {
            self.word.set(value);
        }
    }

    fn sum(&self, a: Word, _: Word, _: Word) -> Word {
        a
    }
}
