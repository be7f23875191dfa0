//! Where a sweep keeps the states that it has come to.

use crate::search::layout::Layout;
use crate::search::sample::sample;
use crate::search::sweep::Shared;
use crate::search::tree::{Forest, Tree};
use crate::search::visited::Visited;
use std::sync::Arc;

/// States that are looked at to find which words stand together.
const SAMPLE: usize = 2048;

/// States as trees, and when each was reached.
pub(crate) struct Store {
    pub(crate) forest: Arc<Forest>,
    pub(crate) visited: Visited,
    /// Only states of the level that is being filled are known; which of them are of earlier levels is seen later.
    pub(crate) forgets: bool,
}

impl Store {
    /// No states yet, of so many words.
    pub(crate) fn new(width: usize) -> Store {
        Store { forest: Forest::new(Layout::balanced(width)), visited: Visited::new(), forgets: false }
    }

    /// The same trees, and no states: those that there were are on disk.
    pub(crate) fn emptied(&self) -> Arc<Store> {
        Arc::new(Store { forest: Arc::clone(&self.forest), visited: Visited::new(), forgets: true })
    }

    /// The same states in trees of the shape that fits those of this system. What gives a state its new key is handed to `others`, who
    /// have keys, too. A part of `bytes`, which all may take, is for what sampling brings. Nothing if the system cannot be sampled: what is
    /// wrong with it, the search will tell.
    pub(crate) fn shaped<S: Shared>(
        &self,
        system: &S,
        bytes: usize,
        others: impl FnOnce(&mut dyn FnMut(u64) -> u64),
    ) -> Option<Store> {
        let rows = sample(system, SAMPLE, bytes / 16).ok()?;
        let forest = Forest::new(Layout::of(&rows, self.forest.layout.width()));
        let (mut old, mut new) = (Tree::new(&self.forest), Tree::new(&forest));
        new.start(&system.initial());
        let mut rename = |key| {
            old.load(key);
            let key = new.key(old.words());
            new.load(key);
            key
        };
        others(&mut rename);
        let visited = self.visited.renamed(rename);
        Some(Store { forest, visited, forgets: false })
    }
}
