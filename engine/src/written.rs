//! The slots of a state that a transition wrote.

use litmpi_spec::heap::Word;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::ops::Deref;

/// Slots after which a set tells which are there.
const FEW: usize = 32;

/// Slots of a state that a transition wrote, in order; some may be there more than once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Written {
    slots: SmallVec<[usize; 16]>,
    /// All of them, once they are many.
    many: FxHashSet<usize>,
    /// What was written to single keys of maps: slot, key, value.
    keys: Vec<(usize, Word, Word)>,
}

impl Written {
    pub(crate) fn push(&mut self, slot: usize) {
        self.slots.push(slot);
        match self.slots.len() {
            0..FEW => {}
            FEW => self.many.extend(&self.slots),
            _ => _ = self.many.insert(slot),
        }
    }

    /// Forgets those for which this does not hold.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        self.slots.retain(|slot| keep(*slot));
        self.many.clear();
        if self.slots.len() >= FEW {
            self.many.extend(&self.slots);
        }
    }

    /// Notes that a key of the map in a slot is given a value; whether nothing was written there that says otherwise. `now` is the value
    /// of the key in what was written to the whole slot.
    pub(crate) fn push_key(&mut self, slot: usize, key: Word, value: Word, now: impl FnOnce() -> Option<Word>) -> bool {
        let earlier = self.keys.iter().find(|(s, k, _)| (*s, *k) == (slot, key)).map(|(_, _, v)| *v);
        let whole = self.has(slot) && !self.keys.iter().any(|(s, ..)| *s == slot);
        if whole {
            return now() == Some(value);
        }
        self.push(slot);
        self.keys.push((slot, key, value));
        earlier.is_none_or(|v| v == value)
    }

    pub(crate) fn has(&self, slot: usize) -> bool {
        if self.slots.len() < FEW { self.slots.contains(&slot) } else { self.many.contains(&slot) }
    }
}

impl Deref for Written {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.slots
    }
}

impl Extend<usize> for Written {
    fn extend<I: IntoIterator<Item = usize>>(&mut self, slots: I) {
        slots.into_iter().for_each(|s| self.push(s));
    }
}

impl FromIterator<usize> for Written {
    fn from_iter<I: IntoIterator<Item = usize>>(slots: I) -> Written {
        let mut written = Written::default();
        written.extend(slots);
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_found() {
        let written: Written = (0..100).map(|i| 2 * i).collect();
        assert_eq!(written.len(), 100);
        assert!(written.has(0) && written.has(62) && written.has(64) && written.has(198));
        assert!(!written.has(1) && !written.has(200));
        let few: Written = [3, 5].into_iter().collect();
        assert!(few.has(5) && !few.has(4));
    }
}
