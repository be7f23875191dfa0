//! What was found of the calls of functions that were followed, for all instances of rules.
//!
//! The same calls come again and again: `has_completed(p, r)` is asked by many rules, and of each by many instances. What was found of one is
//! what would be found now as long as no more is known of the entries that were looked at for it.

use super::bits::Few;
use super::contents::Contents;
use super::value::Known;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Calls after which all are forgotten.
const MOST: usize = 1 << 15;

/// The arguments of a call.
pub(super) type Args = SmallVec<[Known; 6]>;

/// What was found of a call.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) known: Known,
    /// The slots that it may read.
    pub(super) reads: Few,
    /// The entries of the contents that were looked at.
    pub(super) looked: Few,
    /// How often more had become known of some entry when it was last seen to hold.
    pub(super) since: usize,
}

/// A call that is being followed, or that rests on one.
#[derive(Debug)]
pub(super) struct Open {
    /// What is known of its result so far.
    pub(super) known: Known,
    /// The depth of the outermost call that is being followed and that this rests on; its own if it is being followed itself.
    pub(super) rests_on: usize,
    /// Whether it was asked for while it was being followed.
    pub(super) asked: bool,
    /// Whether it was followed to its end, and rests on one that was not.
    pub(super) done: bool,
}

/// Calls by function and arguments.
#[derive(Debug, Default)]
pub(super) struct Followed(FxHashMap<(usize, Args), Found>);

impl Followed {
    /// Remembers what was found of a call.
    pub(super) fn note(&mut self, call: (usize, Args), found: Found) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(call, found);
    }
}

impl Contents {
    /// What was found of a call, if it still holds.
    pub(super) fn followed(&mut self, call: &(usize, Args)) -> Option<&Found> {
        let now = self.growths();
        let found = self.followed.0.get(call)?;
        if found.since < now && self.has_grown(&found.looked, found.since) {
            self.followed.0.remove(call);
            return None;
        }
        let found = self.followed.0.get_mut(call)?;
        found.since = now;
        Some(found)
    }
}
