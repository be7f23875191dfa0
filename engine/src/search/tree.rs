//! A state as a tree of shared pairs: the compression of LTSmin (Laarman, van de Pol, Weber, "Parallel recursive state
//! compression for free", SPIN 2011).
//!
//! The words of a state are the leaves of a binary tree, whose shape is a [`Layout`]; each inner node is a pair of numbers of its
//! children, kept once for all states ([`Pairs`]). The pair at the root, 64 bits, stands for the state. States that differ in a few
//! words share most nodes, and the key of a successor is found by renumbering the paths to the words that changed.

use crate::search::layout::Layout;
use crate::search::pairs::{Pairs, halves, hash, pair};
use std::sync::Arc;

/// How many pairs a thread remembers without asking the shared table.
const REMEMBERED: usize = 1 << 13;

/// What the trees of all states share: the shape, and the pairs.
pub(crate) struct Forest {
    pub(crate) layout: Layout,
    pub(crate) pairs: Pairs,
}

impl Forest {
    /// No pairs yet.
    pub(crate) fn new(layout: Layout) -> Arc<Forest> {
        Arc::new(Forest { layout, pairs: Pairs::new() })
    }
}

/// One state with all nodes of its tree, and what a thread needs to go from it to others.
pub(crate) struct Tree {
    of: Arc<Forest>,
    width: usize,
    /// By node: its number, or, for a leaf, the word. The root's stays 0: it has none.
    nodes: Vec<u32>,
    /// Whether `nodes` holds a state.
    loaded: bool,
    /// Inner nodes above words that changed, a bit each.
    dirty: Vec<u64>,
    /// `nodes` of a successor; equal to `nodes` between calls.
    next: Vec<u32>,
    remembered: Vec<(u64, u32)>,
    todo: Vec<(usize, u32)>,
}

/// Words that are compared at a time.
const STRIDE: usize = 16;

impl Tree {
    /// For the states of a forest.
    pub(crate) fn new(of: &Arc<Forest>) -> Tree {
        let width = of.layout.width();
        let nodes = vec![0; 2 * width - 1];
        let next = nodes.clone();
        // No pair is remembered: (0, 0) has another number than this, or is asked for once more.
        let remembered = vec![(u64::MAX, u32::MAX); REMEMBERED];
        let dirty = vec![0; width.div_ceil(64)];
        Tree { of: Arc::clone(of), width, nodes, loaded: false, dirty, next, remembered, todo: vec![] }
    }

    /// Whether it is for the states of this forest.
    pub(crate) fn is_of(&self, forest: &Arc<Forest>) -> bool {
        Arc::ptr_eq(&self.of, forest)
    }

    /// The words of the present state.
    pub(crate) fn words(&self) -> &[u32] {
        &self.nodes[self.width - 1..]
    }

    /// Goes to the state of a key that a tree of this forest has given.
    pub(crate) fn load(&mut self, key: u64) {
        if self.width == 1 {
            self.put(0, halves(key).0);
        } else {
            self.below(0, key);
        }
        while let Some((node, number)) = self.todo.pop() {
            // What has the same number is the same throughout.
            if self.loaded && self.nodes[node] == number {
                continue;
            }
            self.put(node, number);
            if node < self.width - 1 {
                self.below(node, self.of.pairs.get(number));
            }
        }
        self.loaded = true;
    }

    /// Notes what the children of an inner node are to be.
    fn below(&mut self, node: usize, pair: u64) {
        let ([one, other], (left, right)) = (self.of.layout.children(node), halves(pair));
        self.todo.extend([(other as usize, right), (one as usize, left)]);
    }

    fn put(&mut self, node: usize, number: u32) {
        self.nodes[node] = number;
        self.next[node] = number;
    }

    /// Goes to a state given by its words, and returns its key.
    pub(crate) fn start(&mut self, words: &[u32]) -> u64 {
        self.next[self.width - 1..].copy_from_slice(words);
        for node in (1..self.width - 1).rev() {
            self.renumber(node);
        }
        self.nodes.copy_from_slice(&self.next);
        self.loaded = true;
        self.root()
    }

    /// The key of a state that follows the present one.
    pub(crate) fn key(&mut self, words: &[u32]) -> u64 {
        assert!(self.loaded, "there is a present state");
        let first = self.width - 1;
        let strides = words.chunks(STRIDE).zip(self.next[first..].chunks_mut(STRIDE));
        for (i, (new, old)) in strides.enumerate().filter(|(_, (new, old))| **new != **old) {
            for (k, (new, old)) in new.iter().zip(old).enumerate().filter(|(_, (new, old))| *new != *old) {
                *old = *new;
                let mut node = first + i * STRIDE + k;
                while node > 0 {
                    node = self.of.layout.parent(node);
                    let (word, bit) = (&mut self.dirty[node / 64], 1 << (node % 64));
                    if *word & bit != 0 {
                        break;
                    }
                    *word |= bit;
                }
            }
        }
        // Children have higher numbers than their parents; the root has none.
        let present = std::mem::take(&mut self.dirty);
        each_from_above(&present, |node| {
            if node > 0 {
                self.renumber(node);
            }
        });
        let key = self.root();
        self.dirty = present;
        each_from_above(&self.dirty, |node| self.next[node] = self.nodes[node]);
        self.dirty.fill(0);
        self.next[first..].copy_from_slice(&self.nodes[first..]);
        key
    }

    fn renumber(&mut self, node: usize) {
        let [left, right] = self.of.layout.children(node);
        self.next[node] = self.number(self.next[left as usize], self.next[right as usize]);
    }

    /// The key of the state in `next`.
    fn root(&self) -> u64 {
        if self.width == 1 {
            return pair(self.next[0], 0);
        }
        let [left, right] = self.of.layout.children(0);
        pair(self.next[left as usize], self.next[right as usize])
    }

    fn number(&mut self, left: u32, right: u32) -> u32 {
        let wanted = pair(left, right);
        let at = hash(wanted) as usize % REMEMBERED;
        let (known, number) = self.remembered[at];
        if known == wanted && number != u32::MAX {
            return number;
        }
        let number = self.of.pairs.number(wanted);
        self.remembered[at] = (wanted, number);
        number
    }
}

/// Calls `visit` for each bit that is set, the highest first.
fn each_from_above(bits: &[u64], mut visit: impl FnMut(usize)) {
    for (i, word) in bits.iter().enumerate().rev() {
        let mut rest = *word;
        while rest != 0 {
            let bit = 63 - rest.leading_zeros() as usize;
            rest &= !(1 << bit);
            visit(i * 64 + bit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_from_its_key_whatever_its_width_and_the_shape_of_its_tree() {
        for width in 1..40_u32 {
            let sample: Vec<Vec<u32>> = (0..30).map(|s| (0..width).map(|i| s * i % 7).collect()).collect();
            for layout in [Layout::balanced(width as usize), Layout::of(&sample, width as usize)] {
                let forest = Forest::new(layout);
                let tree = || Tree::new(&forest);
                let (mut writer, mut reader) = (tree(), tree());
                let mut state: Vec<u32> = (0..width).map(|i| i * i).collect();
                let mut keys = vec![(writer.start(&state), state.clone())];
                for step in 0..60_u32 {
                    for at in [step * 7 % width, step * 11 % width] {
                        state[at as usize] = state[at as usize].wrapping_mul(31).wrapping_add(u32::MAX - step % 3);
                    }
                    let key = writer.key(&state);
                    assert_eq!(key, tree().start(&state), "alone and from its neighbour");
                    writer.load(key);
                    keys.push((key, state.clone()));
                }
                for (key, words) in keys.iter().rev().chain(&keys) {
                    reader.load(*key);
                    assert_eq!(reader.words(), words);
                }
            }
        }
    }
}
