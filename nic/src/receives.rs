//! Queues of receives: the ring that the program posts into, and the queue that the rules take from.
//!
//! Posting is a store into a region; the device learns of a receive when it takes it from the ring. Then it is posted by the rule for
//! that, and from there on the rules say which message takes it, and when that is told.

use crate::interface::{FAR, NEAR, RECEIVES, SHARED, SHARES, UD_RECEIVES, UD_STATE, keeps};
use crate::keys::{Use, place};
use crate::layout::*;
use crate::place::Place;
use crate::region::Region;
use crate::request::{Receive, Receives};
use crate::rules::{Rules, SLOTS};
use litmpi_engine::external::Memory;
use litmpi_spec::diag::Report;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::types::Sort;
use std::cell::Cell;
use std::rc::Rc;

/// Receives that the rules see at a time.
pub(crate) const VISIBLE: usize = 8;
/// The room of a receive that may not be written, as the rules have it.
const ASTRAY: Word = Word::MAX;
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
    receive: Receive,
    /// Its place among all that were ever taken from the ring.
    order: u64,
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
    word: Cell<Word>,
    seen: Vec<Option<Seen>>,
    /// The queue pair that has it for itself: where its generation stands, and which that was.
    of: Option<(usize, u64)>,
    /// How many were ever taken from the ring, and how many of these by messages: the oldest.
    taken: u64,
    used: Cell<u64>,
    /// Of a queue pair for datagrams that is in error: whether it waits for those that datagrams have taken, and whether one is over since.
    waits: Cell<bool>,
    goes_on: bool,
}

impl ReceiveQueue {
    pub(crate) fn new(
        (region, number): (&Rc<Region>, usize),
        (ring, of): (Receives, Option<(usize, u64)>),
        taker: Taker,
        rank: usize,
    ) -> ReceiveQueue {
        let seen = (0..VISIBLE).map(|_| None).collect();
        let (word, used) = (Cell::new(EMPTY), Cell::new(0));
        let (region, waits, goes_on) = (Rc::clone(region), Cell::new(false), false);
        ReceiveQueue { region, number, ring, taker, rank, word, seen, of, taken: 0, used, waits, goes_on }
    }

    /// What the state variable holds.
    pub(crate) fn word(&self) -> Word {
        self.word.get()
    }

    /// What its queue pair for datagrams flushes when it is in error: nothing while datagrams are on their way into receives, which other queue
    /// pairs know of, nor of a queue that others have, too.
    pub(crate) fn left(&self) -> Word {
        let is_taken = self.seen.iter().flatten().any(|s| s.order < self.used.get());
        self.waits.set(is_taken);
        if is_taken || self.ring.is_shared { EMPTY } else { self.word.get() }
    }

    /// A rule has taken the oldest.
    pub(crate) fn use_up(&self, rest: Word) {
        self.word.set(rest);
        self.used.set(self.used.get() + 1);
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
        let mut any = self.renew(rules)? | std::mem::take(&mut self.goes_on);
        while let Some(free) = self.seen.iter().position(Option::is_none) {
            let Some(receive) = self.ring.first(&self.region) else { break };
            self.ring.take(&self.region);
            self.seen[free] = Some(Seen { receive, order: self.taken, place: None });
            self.taken += 1;
            self.post(free, rules)?;
            any = true;
        }
        Ok(any)
    }

    /// Posts a receive that is seen, to where its key leads now.
    fn post(&mut self, at: usize, rules: &Rules) -> Result<(), Report> {
        let Some(seen) = &mut self.seen[at] else { return Ok(()) };
        let access = Use::own(LOCAL_WRITE, self.ring.pd(&self.region));
        let place = place((&self.region, self.number), &seen.receive.sges, access);
        seen.place = if self.taker == Taker::Datagrams { place.and_then(|p| p.behind(HEADER)) } else { place };
        let room = seen.place.as_ref().map_or(ASTRAY, |p| rules.length(p.len()));
        let number = VISIBLE * self.rank + at;
        rules.post_receive(self.taker, ((FIRST + number) as Word, room, number as Word), &*self)
    }

    /// A key is looked at when a message comes: receives of memory that has been registered anew, or no more, are posted again in their
    /// order; whether there were any.
    fn renew(&mut self, rules: &Rules) -> Result<bool, Report> {
        let waits = |s: &&Seen| s.order >= self.used.get();
        let is_old = |s: &Seen| s.place.as_ref().is_some_and(|p| !p.is_registered());
        if !self.seen.iter().flatten().filter(waits).any(is_old) {
            return Ok(false);
        }
        let of = |at: usize| self.seen[at].as_ref().filter(waits).map(|s| (s.order, at));
        let mut waiting: Vec<(u64, usize)> = (0..VISIBLE).filter_map(of).collect();
        waiting.sort_unstable();
        self.word.set(EMPTY);
        for (_, at) in waiting {
            self.post(at, rules)?;
        }
        Ok(true)
    }

    fn seen(&self, number: usize) -> Option<usize> {
        number.checked_sub(VISIBLE * self.rank).filter(|i| *i < VISIBLE)
    }

    /// The place of a location that is a receive's.
    pub(crate) fn place(&self, loc: usize) -> Option<&Place> {
        self.seen[self.seen(loc.checked_sub(FIRST)?)?].as_ref()?.place.as_ref()
    }

    /// Writes what stands before the data of a datagram into a receive, if it is one of these.
    pub(crate) fn write_before(&self, number: Word, bytes: &[u8]) {
        let seen = self.seen(number as usize).and_then(|at| self.seen[at].as_ref());
        let access = Use::own(LOCAL_WRITE, self.ring.pd(&self.region));
        let whole = seen.and_then(|seen| place((&self.region, self.number), &seen.receive.sges, access));
        // Memory that is gone meanwhile is no loss of the sender's.
        let _ = whole.and_then(|whole| whole.write(bytes));
    }

    /// A receive is over, if it is one of these: what the program calls it.
    pub(crate) fn release(&mut self, number: Word) -> Option<u64> {
        let at = self.seen(number as usize)?;
        let id = self.seen[at].take()?.receive.id;
        self.goes_on |= self.waits.take();
        // The ring of a queue pair that has been reset is another one's.
        if self.of.is_none_or(|(word, generation)| self.region.get(word) == generation) {
            self.ring.retire(&self.region);
        }
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
