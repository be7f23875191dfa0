//! Values as 32-bit words; composite values are interned, so that equality is a comparison of words.
//!
//! A word is a `Bool` (0, 1), an element of a sort (its index), a register, or, for sequences, records, variants, tuples and
//! options, the number of an interned slice of words. Types say which; words carry no tag. An `Int` has 64 bits: one of 31 bits is the
//! word itself (two's complement, so that its first two bits are equal); of any other the two halves are interned, and the word is the
//! number of that slice with [`LARGE`] set. Interned slices are never freed: a heap lives as long as one search.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value of a type that the context knows.
pub type Word = u32;

/// The empty slice: `[]` and `None`.
pub const EMPTY: Word = 0;

/// What marks the word of an integer of more than 31 bits.
const LARGE: Word = 1 << 30;

/// The word of an integer, if it has at most 31 bits.
#[inline]
pub fn small(v: i64) -> Option<Word> {
    let word = v as i32;
    (i64::from(word) == v && !is_large(word as Word)).then_some(word as Word)
}

/// Whether an integer's word is that of one with more than 31 bits.
#[inline]
pub fn is_large(word: Word) -> bool {
    (word ^ (word << 1)) >> 31 != 0
}

/// Parts of the index, each with a lock of its own; a power of two.
const PARTS: usize = 32;

/// Interned slices. Shared by threads; numbers depend on the order of interning, so nothing that a user sees is
/// ordered by them.
pub struct Heap {
    slices: boxcar::Vec<Box<[Word]>>,
    /// By bits of the hash, so that threads seldom wait for each other: the hash of each slice, which says without a look at it that it is another
    /// one, and its number.
    index: [Mutex<HashTable<(u32, Word)>>; PARTS],
    /// Words in all slices.
    words: AtomicUsize,
}

impl Default for Heap {
    fn default() -> Self {
        let index = std::array::from_fn(|_| Mutex::default());
        let heap = Heap { slices: boxcar::Vec::new(), index, words: AtomicUsize::new(0) };
        heap.intern(&[]);
        heap
    }
}

fn hash(words: &[Word]) -> u32 {
    let mut h = FxHasher::default();
    for w in words {
        h.write_u32(*w);
    }
    // FxHash leaves the low bits weak for short input.
    let x = h.finish();
    (x ^ (x >> 29)) as u32
}

/// A hash whose high and low bits both tell slices apart, also those of one part.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Heap {
    /// The number of a slice.
    pub fn intern(&self, words: &[Word]) -> Word {
        let h = hash(words);
        let part = (h >> (u32::BITS - PARTS.ilog2())) as usize;
        let mut index = self.index[part].lock().unwrap_or_else(|e| e.into_inner());
        if let Some((_, found)) = index.find(spread(h), |(of, i)| *of == h && &*self.slices[*i as usize] == words) {
            return *found;
        }
        self.words.fetch_add(words.len(), Ordering::Relaxed);
        let number = u32::try_from(self.slices.push(words.into())).expect("fewer than 2^32 distinct values");
        index.insert_unique(spread(h), (h, number), |(of, _)| spread(*of));
        number
    }

    /// The slice of that number.
    #[inline]
    pub fn get(&self, word: Word) -> &[Word] {
        &self.slices[word as usize]
    }

    /// The word of an integer.
    #[inline]
    pub fn word(&self, v: i64) -> Word {
        small(v).unwrap_or_else(|| self.large(v))
    }

    #[cold]
    fn large(&self, v: i64) -> Word {
        let number = self.intern(&[v as Word, (v >> 32) as Word]);
        assert!(number < LARGE, "fewer than 2^30 distinct values beside an integer of more than 31 bits");
        number | LARGE
    }

    /// The integer whose word this is.
    #[inline]
    pub fn int(&self, word: Word) -> i64 {
        if !is_large(word) {
            return i64::from(word as i32);
        }
        match self.get(word & !LARGE) {
            [low, high] => i64::from(*low) | i64::from(*high as i32) << 32,
            _ => unreachable!("an integer of more than 31 bits has two halves"),
        }
    }

    /// About how many bytes they take, with their index.
    pub fn bytes(&self) -> usize {
        // A slice of its own, its place, the allocator's and the index's share.
        self.words.load(Ordering::Relaxed) * size_of::<Word>() + self.len() * 53
    }

    /// How many distinct slices there are.
    pub fn len(&self) -> usize {
        self.slices.count()
    }

    /// Never: the empty slice is always there.
    pub fn is_empty(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_come_back_and_equal_ones_are_equal_words() {
        let heap = Heap::default();
        let edges = [30, 31, 32, 33, 62, 63].map(|n| 1_i64.checked_shl(n).unwrap_or(0));
        let near = |e: i64| (-2..=2).flat_map(move |d| [e.wrapping_add(d), e.wrapping_neg().wrapping_add(d)]);
        let all: Vec<i64> = (-3..=3).chain(edges.into_iter().flat_map(near)).collect();
        for v in &all {
            let word = heap.word(*v);
            assert_eq!(heap.int(word), *v);
            assert_eq!(heap.word(*v), word, "{v} is one word");
            assert_eq!(is_large(word), !(-(1 << 30)..1 << 30).contains(v), "{v}");
            assert_eq!(small(*v), (!is_large(word)).then_some(word), "{v}");
        }
    }
}
