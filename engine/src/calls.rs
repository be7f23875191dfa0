//! What long function calls gave, remembered by their arguments.
//!
//! A function of the specification that looked at nothing of the state gives the same for the same arguments, whatever the state. Whether
//! it looked is seen while it is evaluated, so nothing has to be known of the functions beforehand. Only calls that went through many
//! elements are remembered: what a buffer's elements are, whether two buffers overlap, what a datatype's map is.

use litmpi_spec::heap::Word;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// Elements that a call goes through before it is worth remembering.
const LONG: u64 = 64;
/// Elements after which an evaluation looks whether there is time left.
const OFTEN: u64 = 1 << 18;
/// Calls after which all are forgotten.
const MOST: usize = 1 << 16;

/// What an evaluation has done so far.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Elements of sequences that it went through.
    pub(crate) elements: Cell<u64>,
    /// How often it looked at what may differ for the same arguments.
    pub(crate) looks: Cell<u64>,
}

impl Done {
    /// Counts elements that are gone through; whether it is time to look whether there is time left.
    pub(crate) fn goes_through(&self, elements: usize) -> bool {
        let before = self.elements.replace(self.elements.get() + elements as u64);
        before / OFTEN != self.elements.get() / OFTEN
    }

    pub(crate) fn looks(&self) {
        self.looks.set(self.looks.get() + 1);
    }

    /// Where it is now.
    pub(crate) fn mark(&self) -> (u64, u64) {
        (self.elements.get(), self.looks.get())
    }

    /// Whether what was done since is worth remembering, and does not depend on the state.
    pub(crate) fn is_worth(&self, (elements, looks): (u64, u64)) -> bool {
        self.elements.get() - elements >= LONG && self.looks.get() == looks
    }
}

/// Long calls, by function and arguments.
#[derive(Debug)]
pub(crate) struct Calls {
    /// By function: whether there is any of it.
    any: Vec<AtomicBool>,
    known: RwLock<FxHashMap<Box<[Word]>, Word>>,
}

impl Calls {
    /// None of so many functions.
    pub(crate) fn new(functions: usize) -> Calls {
        Calls { any: (0..functions).map(|_| AtomicBool::new(false)).collect(), known: RwLock::default() }
    }

    /// Forgets all of them: what does not change in a search has.
    pub(crate) fn forget(&mut self) {
        self.any.iter().for_each(|a| a.store(false, Ordering::Relaxed));
        self.known.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// What a function gave for these arguments.
    pub(crate) fn find(&self, function: usize, args: &[Word]) -> Option<Word> {
        if !self.any[function].load(Ordering::Relaxed) {
            return None;
        }
        let key = key(function, args);
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(key.as_slice()).copied()
    }

    /// Remembers it.
    pub(crate) fn note(&self, function: usize, args: &[Word], gave: Word) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key(function, args).into_boxed_slice(), gave);
        self.any[function].store(true, Ordering::Relaxed);
    }
}

fn key(function: usize, args: &[Word]) -> smallvec::SmallVec<[Word; 16]> {
    std::iter::once(function as Word).chain(args.iter().copied()).collect()
}
