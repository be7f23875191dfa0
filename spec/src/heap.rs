//! Values as 32-bit words; composite values are interned, so that equality is a comparison of words.
//!
//! A word is an `Int` (two's complement), a `Bool` (0, 1), an element of a sort (its index), a register, or, for
//! sequences, records, variants, tuples and options, the number of an interned slice of words. Types say which;
//! words carry no tag. Interned slices are never freed: a heap lives as long as one search.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value of a type that the context knows.
pub type Word = u32;

/// The empty slice: `[]` and `None`.
pub const EMPTY: Word = 0;

/// Parts of the index, each with a lock of its own; a power of two.
const PARTS: usize = 32;

/// Interned slices. Shared by threads; numbers depend on the order of interning, so nothing that a user sees is
/// ordered by them.
pub struct Heap {
    slices: boxcar::Vec<Box<[Word]>>,
    /// By the high bits of the hash, so that threads seldom wait for each other.
    index: [Mutex<HashTable<Word>>; PARTS],
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

fn hash(words: &[Word]) -> u64 {
    let mut h = FxHasher::default();
    for w in words {
        h.write_u32(*w);
    }
    // FxHash leaves the low bits weak for short input.
    let x = h.finish();
    x ^ (x >> 29)
}

impl Heap {
    /// The number of a slice.
    pub fn intern(&self, words: &[Word]) -> Word {
        let h = hash(words);
        let part = (h >> (u64::BITS - PARTS.ilog2())) as usize;
        let mut index = self.index[part].lock().unwrap_or_else(|e| e.into_inner());
        if let Some(found) = index.find(h, |i| &*self.slices[*i as usize] == words) {
            return *found;
        }
        self.words.fetch_add(words.len(), Ordering::Relaxed);
        let number = u32::try_from(self.slices.push(words.into())).expect("fewer than 2^32 distinct values");
        index.insert_unique(h, number, |i| hash(&self.slices[*i as usize]));
        number
    }

    /// The slice of that number.
    #[inline]
    pub fn get(&self, word: Word) -> &[Word] {
        &self.slices[word as usize]
    }

    /// About how many bytes they take, with their index.
    pub fn bytes(&self) -> usize {
        // A slice of its own, its place, the allocator's and the index's share.
        self.words.load(Ordering::Relaxed) * size_of::<Word>() + self.len() * 48
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
