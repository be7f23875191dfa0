//! Sets of atoms, each kept once: what is known of values is copied, compared and joined by numbers of sets.
//!
//! Of the sets that an analysis comes to there are few, and the same ones are joined again and again.

use super::bits::Bits;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::{Ref, RefCell};
use std::hash::BuildHasher;

/// A set, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Set(u32);

impl Set {
    /// The empty one.
    pub(super) const EMPTY: Set = Set(0);
}

/// All sets of an analysis.
#[derive(Debug)]
pub(super) struct Sets(RefCell<Table>);

#[derive(Debug)]
struct Table {
    all: Vec<Bits>,
    index: HashTable<u32>,
    /// Two sets, the smaller number first, and what is in one of them, and in both.
    joined: Pairs,
    met: Pairs,
}

/// What is made of two sets.
type Pairs = FxHashMap<(Set, Set), Set>;

impl Table {
    fn number(&mut self, set: Bits) -> Set {
        let hash = FxBuildHasher.hash_one(&set);
        if let Some(known) = self.index.find(hash, |i| self.all[*i as usize] == set) {
            return Set(*known);
        }
        let new = self.all.len() as u32;
        self.all.push(set);
        self.index.insert_unique(hash, new, |i| FxBuildHasher.hash_one(&self.all[*i as usize]));
        Set(new)
    }
}

impl Sets {
    /// The empty set alone.
    pub(super) fn new(empty: Bits) -> Sets {
        let (index, joined, met) = (HashTable::new(), FxHashMap::default(), FxHashMap::default());
        let mut table = Table { all: vec![], index, joined, met };
        table.number(empty);
        Sets(RefCell::new(table))
    }

    /// The number of a set.
    pub(super) fn number(&self, set: Bits) -> Set {
        self.0.borrow_mut().number(set)
    }

    /// What is in a set.
    pub(super) fn get(&self, set: Set) -> Ref<'_, Bits> {
        Ref::map(self.0.borrow(), |t| &t.all[set.0 as usize])
    }

    /// A set and a number more.
    pub(super) fn with(&self, set: Set, i: usize) -> Set {
        if self.get(set).has(i) {
            return set;
        }
        let mut more = self.get(set).clone();
        more.add(i);
        self.number(more)
    }

    /// What is in one or the other.
    pub(super) fn join(&self, one: Set, other: Set) -> Set {
        let (a, b) = (one.min(other), one.max(other));
        if a == b || a == Set::EMPTY { b } else { self.of_both((a, b), |t| &mut t.joined, |a, b| _ = a.join(b)) }
    }

    /// What is in both.
    pub(super) fn meet(&self, one: Set, other: Set) -> Set {
        let (a, b) = (one.min(other), one.max(other));
        if a == b || a == Set::EMPTY { a } else { self.of_both((a, b), |t| &mut t.met, Bits::meet) }
    }

    /// What is made of two sets, looked up or worked out.
    fn of_both(&self, pair: (Set, Set), known: fn(&mut Table) -> &mut Pairs, make: fn(&mut Bits, &Bits)) -> Set {
        let table = &mut *self.0.borrow_mut();
        if let Some(set) = known(table).get(&pair) {
            return *set;
        }
        let mut made = table.all[pair.0.0 as usize].clone();
        make(&mut made, &table.all[pair.1.0 as usize]);
        let set = table.number(made);
        known(table).insert(pair, set);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_one_number_however_it_was_made() {
        let sets = Sets::new(Bits::new(200));
        let of = |all: &[usize]| all.iter().fold(Set::EMPTY, |set, i| sets.with(set, *i));
        let (low, high) = (of(&[1, 70]), of(&[70, 199]));
        assert_eq!(of(&[70, 1]), low);
        assert_eq!(sets.join(low, high), of(&[199, 70, 1]));
        assert_eq!(sets.join(high, low), sets.join(low, high));
        assert_eq!(sets.meet(low, high), of(&[70]));
        assert_eq!(sets.meet(low, of(&[2])), Set::EMPTY);
        assert_eq!((sets.join(low, Set::EMPTY), sets.meet(low, Set::EMPTY)), (low, Set::EMPTY));
        assert!(sets.get(high).iter().eq([70, 199]));
    }
}
