//! Sets of small numbers.

use smallvec::SmallVec;

/// A set of numbers; sets of one analysis have one size.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Bits(SmallVec<[u64; 4]>);

impl Bits {
    /// The empty set, for numbers below `n`.
    pub(crate) fn new(n: usize) -> Bits {
        Bits(SmallVec::from_elem(0, n.div_ceil(64)))
    }

    pub(crate) fn add(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub(crate) fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    /// Adds all of the other; whether any was new.
    pub(crate) fn join(&mut self, other: &Bits) -> bool {
        let mut new = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            new |= *b & !*a != 0;
            *a |= b;
        }
        new
    }

    /// Adds what is in both others, and calls `new` for what was not there.
    pub(crate) fn join_new(&mut self, one: &Bits, other: &Bits, mut new: impl FnMut(usize)) {
        for (k, ((own, a), b)) in self.0.iter_mut().zip(&one.0).zip(&other.0).enumerate() {
            let mut rest = a & b & !*own;
            *own |= rest;
            while rest != 0 {
                new(k * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(k, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let i = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(k * 64 + i)
            })
        })
    }
}
