//! Places in the life of a process that are one: where it goes on alike whatever it was told before.
//!
//! A process goes on by what it is ([`crate::digest`]), and the model by what is known of it. Where both are the same, what follows one
//! place follows the other. That the process has made another number of calls before matters to neither: its code is then a loop, as that
//! of a program which somebody has written down may have. A process that reads the memory of its window, and calls `MPI_Win_sync` until somebody
//! has put something there, is such a loop. Of a process that goes one way whatever others do, places that differ in that
//! number are not compared: each of them is come to once, and all of its memory would have to be looked at in each turn of each of its
//! loops.

use crate::tree::{Next, Place, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

/// The first call at a site that is remembered.
const REMEMBERED: usize = 8;
/// So many calls are held against each that is remembered, since a process may come to a site more than once in a round.
const IN_A_ROUND: usize = 8;

/// Places that may be one.
#[derive(Default)]
pub(crate) struct Alike {
    /// By rank and where the call is: the places, in order.
    by_site: FxHashMap<(usize, u64), Vec<usize>>,
    /// Ranks that went on in two ways somewhere.
    branched: FxHashSet<usize>,
}

impl Alike {
    /// Adds a place with its number.
    pub(crate) fn add(&mut self, place: &Place, number: usize) {
        if let Next::Call(_) = &place.next {
            self.by_site.entry((place.rank, place.site)).or_default().push(number);
        }
    }

    /// The place that a new one at the same site is held against, if it is time: a process that does the same again and again, and is told nothing
    /// new, comes back to what it was. Of the calls at one site the 8th, the 16th, the 32nd, … are remembered in turn, and the few that
    /// follow each of them are compared with it, so that a loop costs few digests however long it is.
    fn remembered(&self, new: &Place) -> Option<usize> {
        let places = self.by_site.get(&(new.rank, new.site))?;
        if places.len() + 1 >= REMEMBERED && (places.len() + 1).is_power_of_two() {
            // The process will have gone on when it is asked for.
            let _ = new.digest(false);
        }
        let last = 1 << places.len().checked_ilog2()?;
        (last >= REMEMBERED && places.len() - last < IN_A_ROUND).then(|| places[last - 1])
    }

    /// A process has gone on from this place.
    pub(crate) fn came(&mut self, place: &Place) {
        if place.then.len() > 1 {
            self.branched.insert(place.rank);
        }
    }
}

impl Place {
    /// Whether the model can tell nothing of what two processes do now, and of what is known of them.
    fn looks_like(&self, other: &Place) -> bool {
        self.next == other.next
            && self.seen.is_like(&other.seen)
            && self.kept == other.kept
            && self.variables == other.variables
            && (self.initialized, self.finalized) == (other.initialized, other.finalized)
    }

    /// Whether two processes that look alike will do the same from here on. One that is gone cannot be asked.
    fn goes_on_like(&self, other: &Place) -> bool {
        self.digest(false).is_some_and(|own| other.digest(false) == Some(own))
    }
}

impl Tree {
    /// A place that was known before, from which the process of this one will do the same.
    pub(crate) fn twin(&self, place: &Place) -> Option<usize> {
        let Next::Call(call) = &place.next else { return None };
        if !self.merges || self.one_way {
            return None;
        }
        // A program that repeats a test or a call on a window until one says yes comes to the same place again and again.
        let any = call.asks.is_some() || call.is_repeated || self.alike.branched.contains(&place.rank);
        let is_twin = |p: &&usize| {
            let other = &self.places[**p];
            (any || other.depth == place.depth) && other.looks_like(place) && other.goes_on_like(place)
        };
        let twin = self.alike.by_site.get(&(place.rank, place.site))?.iter().find(is_twin).copied();
        let round = || {
            let before = self.alike.remembered(place)?;
            let other = &self.places[before];
            (other.looks_like(place) && other.goes_on_like(place)).then_some(before)
        };
        twin.or_else(round)
    }
}
