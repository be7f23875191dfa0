//! The states that a search has come to, as one word of 64 bits each, with the level at which each was first reached.
//!
//! A table with open addressing, in parts that threads lock one at a time: ten bytes an entry, at most four fifths full.

use crate::search::pairs::hash;
use std::sync::{Mutex, MutexGuard};

/// About how many bytes a state takes: ten, in a table that is partly empty.
pub(crate) const STATE_BYTES: usize = 14;

/// Parts of the table; a power of two.
const SHARDS: usize = 64;
/// Levels from here on are not told apart.
const DEEPEST: u16 = u16::MAX - 1;

/// Whether a state had been reached before, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It is new.
    Now,
    /// At the level that is being filled.
    AtThisLevel,
    /// At an earlier level, or perhaps so, beyond the levels that are told apart.
    Earlier,
}

/// States by key.
pub(crate) struct Visited {
    shards: Vec<Apart>,
}

/// Of two shards, no word lies on the same line of a processor's cache: threads would take it from each other.
#[derive(Default)]
#[repr(align(128))]
struct Apart(Mutex<Shard>);

impl Apart {
    fn lock(&self) -> MutexGuard<'_, Shard> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[derive(Default)]
struct Shard {
    keys: Vec<u64>,
    /// One more than the level, 0 where no key is.
    levels: Vec<u16>,
    len: usize,
}

impl Shard {
    fn place(&self, key: u64, h: u64) -> usize {
        let n = self.keys.len();
        let mut at = ((u128::from(h << 6) * n as u128) >> 64) as usize;
        while self.levels[at] != 0 && self.keys[at] != key {
            at = if at + 1 == n { 0 } else { at + 1 };
        }
        at
    }

    fn grow(&mut self) {
        let larger = (self.keys.len() + self.keys.len() / 3).max(64);
        let keys = std::mem::replace(&mut self.keys, vec![0; larger]);
        let levels = std::mem::replace(&mut self.levels, vec![0; larger]);
        for (key, level) in keys.into_iter().zip(levels).filter(|(_, level)| *level != 0) {
            let at = self.place(key, hash(key));
            (self.keys[at], self.levels[at]) = (key, level);
        }
    }
}

impl Visited {
    pub(crate) fn new() -> Visited {
        Visited { shards: (0..SHARDS).map(|_| Apart::default()).collect() }
    }

    /// All states that were entered.
    pub(crate) fn keys(&self) -> Vec<u64> {
        let mut out = Vec::with_capacity(self.len());
        self.each(|key, _| out.push(key));
        out
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|s| s.lock().len).sum()
    }

    /// The same states under other keys.
    pub(crate) fn renamed(&self, mut rename: impl FnMut(u64) -> u64) -> Visited {
        let out = Visited::new();
        self.each(|key, level| _ = out.enter(rename(key), level));
        out
    }

    fn each(&self, mut visit: impl FnMut(u64, usize)) {
        for shard in &self.shards {
            let shard = shard.lock();
            let entries = shard.keys.iter().zip(&shard.levels).filter(|(_, level)| **level != 0);
            entries.for_each(|(key, level)| visit(*key, usize::from(*level) - 1));
        }
    }

    /// Enters a state at a level, if it is new.
    pub(crate) fn enter(&self, key: u64, level: usize) -> Reached {
        let level = u16::try_from(level + 1).unwrap_or(DEEPEST).min(DEEPEST);
        let h = hash(key);
        let mut shard = self.shards[(h >> 58) as usize].lock();
        if (shard.len + 1) * 5 > shard.keys.len() * 4 {
            shard.grow();
        }
        let at = shard.place(key, h);
        if shard.levels[at] == 0 {
            (shard.keys[at], shard.levels[at]) = (key, level);
            shard.len += 1;
            Reached::Now
        } else if shard.levels[at] == level && level < DEEPEST {
            Reached::AtThisLevel
        } else {
            Reached::Earlier
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_once_and_its_level_is_kept_while_the_table_grows() {
        let visited = Visited::new();
        for level in 0..4_u64 {
            for key in 0..5_000 {
                assert_eq!(visited.enter(level << 32 | key, level as usize), Reached::Now);
            }
        }
        for level in 0..4_u64 {
            for key in 0..5_000 {
                let expected = if level == 3 { Reached::AtThisLevel } else { Reached::Earlier };
                assert_eq!(visited.enter(level << 32 | key, 3), expected);
            }
        }
    }

    #[test]
    fn states_under_other_keys_are_of_the_same_levels() {
        let visited = Visited::new();
        (0..1000).for_each(|key| _ = visited.enter(key, key as usize % 7));
        let renamed = visited.renamed(|key| key << 20);
        assert_eq!((visited.len(), renamed.len()), (1000, 1000));
        assert!(visited.keys().iter().all(|key| {
            let level = *key as usize % 7;
            renamed.enter(key << 20, level) == Reached::AtThisLevel && renamed.enter(key << 20, 8) == Reached::Earlier
        }));
    }

    #[test]
    fn levels_that_are_not_told_apart_count_as_earlier() {
        let visited = Visited::new();
        assert_eq!(visited.enter(7, 1 << 20), Reached::Now);
        assert_eq!(visited.enter(7, 1 << 20), Reached::Earlier);
    }
}
