//! A state as a tree of shared pairs: the compression of LTSmin (Laarman, van de Pol, Weber, "Parallel recursive state
//! compression for free", SPIN 2011).
//!
//! The words of a state are the leaves of a binary tree; each inner node is a pair of numbers of its children, kept once for all
//! states ([`Pairs`]). The pair at the root, 64 bits, stands for the state. States that differ in a few words share most nodes,
//! and the key of a successor is found by renumbering the paths to the words that changed.

use crate::pairs::{Pairs, halves, hash, pair};

/// How many pairs a thread remembers without asking the shared table.
const REMEMBERED: usize = 1 << 13;

/// One state with all nodes of its tree, and what a thread needs to go from it to others.
///
/// Nodes are numbered as in a heap: the root is 0, the children of `i` are `2i + 1` and `2i + 2`, and the leaves, one for each
/// word, come last.
pub(crate) struct Tree<'p> {
    pairs: &'p Pairs,
    width: usize,
    /// By node: its number, or, for a leaf, the word. The root's stays 0: it has none.
    nodes: Vec<u32>,
    /// Whether `nodes` holds a state.
    loaded: bool,
    /// Inner nodes above words that changed.
    dirty: Vec<usize>,
    /// `nodes` of a successor; equal to `nodes` between calls.
    next: Vec<u32>,
    remembered: Vec<(u64, u32)>,
    todo: Vec<(usize, u32)>,
}

impl<'p> Tree<'p> {
    /// For states of so many words, at least one.
    pub(crate) fn new(pairs: &'p Pairs, width: usize) -> Tree<'p> {
        let nodes = vec![0; 2 * width - 1];
        let next = nodes.clone();
        // No pair is remembered: (0, 0) has another number than this, or is asked for once more.
        let remembered = vec![(u64::MAX, u32::MAX); REMEMBERED];
        Tree { pairs, width, nodes, loaded: false, dirty: vec![], next, remembered, todo: vec![] }
    }

    /// The words of the present state.
    pub(crate) fn words(&self) -> &[u32] {
        &self.nodes[self.width - 1..]
    }

    /// Goes to the state of a key that this table of pairs has given.
    pub(crate) fn load(&mut self, key: u64) {
        let (left, right) = halves(key);
        if self.width == 1 {
            self.put(0, left);
        } else {
            self.todo.extend([(2, right), (1, left)]);
        }
        while let Some((node, number)) = self.todo.pop() {
            // What has the same number is the same throughout.
            if self.loaded && self.nodes[node] == number {
                continue;
            }
            self.put(node, number);
            if node < self.width - 1 {
                let (left, right) = halves(self.pairs.get(number));
                self.todo.extend([(2 * node + 2, right), (2 * node + 1, left)]);
            }
        }
        self.loaded = true;
    }

    fn put(&mut self, node: usize, number: u32) {
        self.nodes[node] = number;
        self.next[node] = number;
    }

    /// Goes to a state given by its words, and returns its key.
    pub(crate) fn start(&mut self, words: &[u32]) -> u64 {
        self.next[self.width - 1..].copy_from_slice(words);
        for node in (1..self.width - 1).rev() {
            self.next[node] = self.number(self.next[2 * node + 1], self.next[2 * node + 2]);
        }
        self.nodes.copy_from_slice(&self.next);
        self.loaded = true;
        self.root(&self.nodes)
    }

    /// The key of a state that follows the present one.
    pub(crate) fn key(&mut self, words: &[u32]) -> u64 {
        let first = self.width - 1;
        self.dirty.clear();
        for (i, word) in words.iter().enumerate() {
            let mut node = first + i;
            if self.next[node] == *word {
                continue;
            }
            self.next[node] = *word;
            while node > 2 {
                node = (node - 1) / 2;
                self.dirty.push(node);
            }
        }
        // Children have higher numbers than their parents.
        self.dirty.sort_unstable_by(|a, b| b.cmp(a));
        self.dirty.dedup();
        for i in 0..self.dirty.len() {
            let node = self.dirty[i];
            self.next[node] = self.number(self.next[2 * node + 1], self.next[2 * node + 2]);
        }
        let key = self.root(&self.next);
        for node in self.dirty.drain(..) {
            self.next[node] = self.nodes[node];
        }
        self.next[first..].copy_from_slice(&self.nodes[first..]);
        key
    }

    fn root(&self, nodes: &[u32]) -> u64 {
        if self.width == 1 { pair(nodes[0], 0) } else { pair(nodes[1], nodes[2]) }
    }

    fn number(&mut self, left: u32, right: u32) -> u32 {
        let wanted = pair(left, right);
        let at = hash(wanted) as usize % REMEMBERED;
        let (known, number) = self.remembered[at];
        if known == wanted && number != u32::MAX {
            return number;
        }
        let number = self.pairs.number(wanted);
        self.remembered[at] = (wanted, number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_from_its_key_whatever_its_width() {
        for width in 1..40_u32 {
            let pairs = Pairs::new();
            let (mut writer, mut reader) = (Tree::new(&pairs, width as usize), Tree::new(&pairs, width as usize));
            let mut state: Vec<u32> = (0..width).map(|i| i * i).collect();
            let mut keys = vec![(writer.start(&state), state.clone())];
            for step in 0..60_u32 {
                for at in [step * 7 % width, step * 11 % width] {
                    state[at as usize] = state[at as usize].wrapping_mul(31).wrapping_add(u32::MAX - step % 3);
                }
                let key = writer.key(&state);
                assert_eq!(key, Tree::new(&pairs, width as usize).start(&state), "alone and from its neighbour");
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
