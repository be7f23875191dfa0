//! The states that a search has come to, by number: what a search keeps that must say the way to each.
//!
//! A few states are kept as rows of words, which is fastest; many are compressed to trees of shared pairs ([`crate::search::tree`]), whose shape
//! is made for the states that there are by then.

use crate::search::layout::Layout;
use crate::search::pairs::{self, PAIR_BYTES};
use crate::search::tree::{Forest, Tree};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// States that there is room for from the beginning.
const FIRST: usize = 128;
/// After so many states they are compressed.
const MANY: usize = 8192;
/// States that are looked at to find the shape of the trees.
const SAMPLE: usize = 2048;
/// Pairs are counted anew each time that so many states were added.
const COUNT: usize = 256;

/// States and their numbers, from 0 in the order in which they came.
pub(super) struct States {
    index: HashTable<u32>,
    kept: Kept,
}

enum Kept {
    /// One after the other, each of so many words.
    Rows {
        width: usize,
        words: Vec<u32>,
    },
    Trees(Trees),
}

struct Trees {
    tree: Box<Tree>,
    forest: std::sync::Arc<Forest>,
    keys: Vec<u64>,
    /// Pairs, when they were last counted.
    pairs: usize,
}

fn hash(words: &[u32]) -> u64 {
    let mut h = FxHasher::default();
    let (pairs, rest) = words.as_chunks::<2>();
    for [a, b] in pairs {
        h.write_u64(u64::from(*a) << 32 | u64::from(*b));
    }
    rest.iter().for_each(|w| h.write_u32(*w));
    let x = h.finish();
    x ^ (x >> 29)
}

impl States {
    /// No states yet; each will have so many words.
    pub(super) fn new(width: usize) -> States {
        States { index: HashTable::with_capacity(FIRST), kept: Kept::Rows { width, words: vec![] } }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Puts the words of a state in the place of what is there.
    pub(super) fn load(&mut self, number: u32, into: &mut Vec<u32>) {
        into.clear();
        match &mut self.kept {
            Kept::Rows { width, words } => into.extend_from_slice(&words[number as usize * *width..][..*width]),
            Kept::Trees(trees) => {
                trees.tree.load(trees.keys[number as usize]);
                into.extend_from_slice(trees.tree.words());
            }
        }
    }

    /// The number of a state, and whether it is new.
    pub(super) fn add(&mut self, state: &[u32]) -> (u32, bool) {
        let new = u32::try_from(self.index.len()).expect("bounded below 2^32 states");
        match &mut self.kept {
            Kept::Rows { width, words } => {
                let at = |i: &u32| &words[*i as usize * *width..(*i as usize + 1) * *width];
                let h = hash(state);
                if let Some(known) = self.index.find(h, |i| at(i) == state) {
                    return (*known, false);
                }
                self.index.insert_unique(h, new, |i| hash(at(i)));
                words.extend_from_slice(state);
                if self.index.len() == MANY {
                    self.compress();
                }
            }
            Kept::Trees(trees) => {
                let key = trees.tree.key(state);
                let h = pairs::hash(key);
                if let Some(known) = self.index.find(h, |i| trees.keys[*i as usize] == key) {
                    return (*known, false);
                }
                self.index.insert_unique(h, new, |i| pairs::hash(trees.keys[*i as usize]));
                trees.keys.push(key);
                if trees.keys.len().is_multiple_of(COUNT) {
                    trees.pairs = trees.forest.pairs.len();
                }
            }
        }
        (new, true)
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let kept = match &self.kept {
            Kept::Rows { words, .. } => words.len() * size_of::<u32>(),
            Kept::Trees(trees) => trees.keys.len() * size_of::<u64>() + trees.pairs * PAIR_BYTES,
        };
        kept + self.index.capacity() * 5
    }

    /// Makes trees of the rows.
    fn compress(&mut self) {
        let Kept::Rows { width, words } = &self.kept else { return };
        let rows = || words.chunks(*width);
        let step = (self.index.len() / SAMPLE).max(1);
        let sample: Vec<Vec<u32>> = rows().step_by(step).map(<[u32]>::to_vec).collect();
        let forest = Forest::new(Layout::of(&sample, *width));
        let mut tree = Box::new(Tree::new(&forest));
        tree.start(&words[..*width]);
        let key = |row| {
            let key = tree.key(row);
            tree.load(key);
            key
        };
        let keys: Vec<u64> = rows().map(key).collect();
        self.index.clear();
        for (number, key) in (0..).zip(&keys) {
            self.index.insert_unique(pairs::hash(*key), number, |i| pairs::hash(keys[*i as usize]));
        }
        let pairs = forest.pairs.len();
        self.kept = Kept::Trees(Trees { tree, forest, keys, pairs });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_keep_their_numbers_and_words_when_they_are_compressed() {
        for width in [1, 2, 7, 40] {
            let state = |n: u32| (0..width).map(|i| if i == n % width { n } else { n / 1000 }).collect::<Vec<u32>>();
            let mut states = States::new(width as usize);
            let mut distinct = vec![];
            for n in 0..3 * MANY as u32 {
                let words = state(n);
                let (number, new) = states.add(&words);
                assert!(new, "each is another one: {n}");
                assert_eq!(number as usize, distinct.len());
                distinct.push(words);
            }
            let mut words = vec![];
            for (number, wanted) in (0..).zip(&distinct) {
                states.load(number, &mut words);
                assert_eq!(&words, wanted);
                assert_eq!(states.add(wanted), (number, false));
            }
            let rows = distinct.len() * (width as usize * 4 + 5);
            assert!(width < 40 || states.bytes() < rows, "{} bytes, as rows {rows}", states.bytes());
        }
    }
}
