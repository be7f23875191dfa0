//! Queues of receives: the ring that the program posts into, and the queue that the rules take from.
//!
//! Posting is a store into a region; the device learns of a receive when it takes it from the ring. Then it is posted by the rule for
//! that, and from there on the rules say which message takes it, and when that is told.

use crate::interface::{FAR, NEAR, RECEIVES, SHARED, SHARES, UD_RECEIVES, UD_STATE, keeps};
use crate::layout::*;
use crate::place::Place;
use crate::region::Region;
use crate::request::{Receives, place};
use crate::rules::{Rules, SLOTS};
use litmpi_engine::external::Memory;
use litmpi_spec::diag::Report;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::types::Sort;
use std::cell::Cell;
use std::rc::Rc;

/// Receives that the rules see at a time.
pub(crate) const VISIBLE: usize = 8;
/// The first location of a receive: locations of queue pairs stand before.
const FIRST: usize = 2 * SLOTS;

/// Whose receives they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taker {
    /// A connected queue pair.
    Own,
    /// Several connected queue pairs.
    Shared,
    /// A queue pair for datagrams.
    Datagrams,
}

/// A receive that the rules see.
struct Seen {
    id: u64,
    /// None if its key does not allow writing there.
    place: Option<Place>,
}

/// A queue of receives.
pub(crate) struct ReceiveQueue {
    region: Rc<Region>,
    number: usize,
    ring: Receives,
    pub(crate) taker: Taker,
    /// Its place among all that one queue pair may take from: those have different locations.
    pub(crate) rank: usize,
    /// What the state variable holds.
    pub(crate) word: Cell<Word>,
    seen: Vec<Option<Seen>>,
}

impl ReceiveQueue {
    pub(crate) fn new(
        (region, number): (&Rc<Region>, usize),
        ring: Receives,
        taker: Taker,
        rank: usize,
    ) -> ReceiveQueue {
        let seen = (0..VISIBLE).map(|_| None).collect();
        ReceiveQueue { region: Rc::clone(region), number, ring, taker, rank, word: Cell::new(EMPTY), seen }
    }

    /// Whether it is the ring that these words are of.
    pub(crate) fn is_of(&self, number: usize, ring: &Receives, taker: Taker) -> bool {
        self.number == number && self.ring == *ring && self.taker == taker
    }

    /// Whether there are any, which the rules see or not.
    pub(crate) fn has_any(&self) -> bool {
        self.word.get() != EMPTY || self.ring.first(&self.region).is_some()
    }

    /// Whether the rules see no receive, though the program has posted some.
    pub(crate) fn has_more(&self) -> bool {
        self.word.get() == EMPTY && self.ring.first(&self.region).is_some()
    }

    /// Takes what was posted, as far as there is room; whether there was anything.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(crate) fn take(&mut self, rules: &Rules) -> Result<bool, Report> {
        let mut any = false;
        while let Some(free) = self.seen.iter().position(Option::is_none) {
            let Some(receive) = self.ring.first(&self.region) else { break };
            let place = place((&self.region, self.number), &receive.sges, (LOCAL_WRITE, self.ring.pd(&self.region)));
            let place = if self.taker == Taker::Datagrams { place.and_then(|p| p.behind(HEADER)) } else { place };
            // A message fits into no receive that may not be written.
            let room = place.as_ref().map_or(Word::MAX, |p| Word::try_from(p.len()).unwrap_or(Word::MAX >> 1));
            self.seen[free] = Some(Seen { id: receive.id, place });
            self.ring.take(&self.region);
            let number = VISIBLE * self.rank + free;
            rules.post_receive(self.taker, ((FIRST + number) as Word, room, number as Word), &*self)?;
            any = true;
        }
        Ok(any)
    }

    fn seen(&self, number: usize) -> Option<usize> {
        number.checked_sub(VISIBLE * self.rank).filter(|i| *i < VISIBLE)
    }

    /// The place of a location that is a receive's.
    pub(crate) fn place(&self, loc: usize) -> Option<&Place> {
        self.seen[self.seen(loc.checked_sub(FIRST)?)?].as_ref()?.place.as_ref()
    }

    /// A receive is over, if it is one of these: what the program calls it.
    pub(crate) fn release(&mut self, number: Word) -> Option<u64> {
        let at = self.seen(number as usize)?;
        let id = self.seen[at].take()?.id;
        self.ring.retire(&self.region);
        Some(id)
    }
}

/// While a receive is posted, nothing else is there.
impl Memory for ReceiveQueue {
    fn keeps(&self, var: &str, _: &[Sort]) -> bool {
        keeps(var)
    }

    fn load(&self, var: &str, _: usize) -> Word {
        match (var, self.taker) {
            (SHARES, taker) => Word::from(taker == Taker::Shared),
            (RECEIVES, Taker::Own) | (SHARED, Taker::Shared) | (UD_RECEIVES, Taker::Datagrams) => self.word.get(),
            (NEAR | FAR | UD_STATE, _) => RTS as Word,
            _ => EMPTY,
        }
    }

    fn store(&self, var: &str, _: usize, value: Word) {
        if [RECEIVES, SHARED, UD_RECEIVES].contains(&var) {
            self.word.set(value);
        }
    }

    fn sum(&self, a: Word, _: Word, _: Word) -> Word {
        a
    }
}
