//! Stretches of states, each kept once, so that long ones are compared and looked up by number.

use hashbrown::HashTable;
use litmpi_spec::heap::Word;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Slices {
    all: Vec<Box<[Word]>>,
    index: HashTable<u32>,
}

fn hash(words: &[Word]) -> u64 {
    FxBuildHasher.hash_one(words)
}

impl Slices {
    /// The words of a number.
    pub(crate) fn get(&self, number: u32) -> &[Word] {
        &self.all[number as usize]
    }

    /// The number of these words, if they have one.
    pub(crate) fn find(&self, words: &[Word]) -> Option<u32> {
        self.index.find(hash(words), |i| *self.all[*i as usize] == *words).copied()
    }

    /// The number of these words.
    pub(crate) fn number(&mut self, words: &[Word]) -> u32 {
        self.find(words).unwrap_or_else(|| {
            let new = self.all.len() as u32;
            self.all.push(words.into());
            self.index.insert_unique(hash(words), new, |i| hash(&self.all[*i as usize]));
            new
        })
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.index.clear();
    }
}
