//! Sets of numbers.

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

    /// Adds a number, or takes it away.
    pub(crate) fn put(&mut self, i: usize, there: bool) {
        let bit = 1 << (i % 64);
        self.0[i / 64] = self.0[i / 64] & !bit | if there { bit } else { 0 };
    }

    pub(crate) fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    /// The words that it is made of.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
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

    /// Leaves out what is not in the other.
    pub(crate) fn meet(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    /// Adds all of the other, and calls `new` for what was not there.
    pub(crate) fn join_new(&mut self, other: &Bits, mut new: impl FnMut(usize)) {
        for (k, (own, word)) in self.0.iter_mut().zip(&other.0).enumerate() {
            ones(*word & !*own).for_each(|bit| new(k * 64 + bit));
            *own |= word;
        }
    }

    /// What is in this and the other.
    pub(crate) fn both(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(k, word)| ones(*word).map(move |bit| k * 64 + bit))
    }
}

/// A set of few numbers, which need not be small: the words of [`Bits`] that are not 0, each with its place, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Few(SmallVec<[(u32, u64); 1]>);

impl Few {
    /// Adds a number; whether it is new.
    pub(crate) fn add(&mut self, i: usize) -> bool {
        let (place, bit) = ((i / 64) as u32, 1 << (i % 64));
        // Most are added in order.
        let found = match self.0.last() {
            Some((last, _)) if *last == place => Ok(self.0.len() - 1),
            Some((last, _)) if *last > place => self.find(place),
            _ => Err(self.0.len()),
        };
        match found {
            Ok(at) => {
                let new = self.0[at].1 & bit == 0;
                self.0[at].1 |= bit;
                new
            }
            Err(at) => {
                self.0.insert(at, (place, bit));
                true
            }
        }
    }

    fn find(&self, place: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&place, |(p, _)| *p)
    }

    pub(crate) fn has(&self, i: usize) -> bool {
        self.find((i / 64) as u32).is_ok_and(|at| self.0[at].1 >> (i % 64) & 1 != 0)
    }

    /// Adds all of the other.
    pub(crate) fn join(&mut self, other: &Few) {
        self.join_new(other, |_| {});
    }

    /// Adds all of the other, and calls `new` for what was not there.
    pub(crate) fn join_new(&mut self, other: &Few, mut new: impl FnMut(usize)) {
        let mut at = 0;
        for (place, word) in &other.0 {
            while self.0.get(at).is_some_and(|(own, _)| own < place) {
                at += 1;
            }
            let before = match self.0.get_mut(at) {
                Some((own, bits)) if own == place => std::mem::replace(bits, *bits | word),
                _ => {
                    self.0.insert(at, (*place, *word));
                    0
                }
            };
            ones(word & !before).for_each(|bit| new(*place as usize * 64 + bit));
        }
    }

    /// The same numbers, all below `n`.
    pub(crate) fn bits(&self, n: usize) -> Bits {
        let mut out = Bits::new(n);
        self.0.iter().for_each(|(place, word)| out.0[*place as usize] = *word);
        out
    }

    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().any(|(place, word)| other.0[*place as usize] & word != 0)
    }

    pub(crate) fn meets_few(&self, other: &Few) -> bool {
        self.0.iter().any(|(place, word)| other.find(*place).is_ok_and(|at| other.0[at].1 & word != 0))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// About how many bytes it takes beside itself.
    pub(crate) fn bytes(&self) -> usize {
        if self.0.spilled() { self.0.capacity() * size_of::<(u32, u64)>() } else { 0 }
    }

    /// Its numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|(place, word)| ones(*word).map(move |bit| *place as usize * 64 + bit))
    }
}

/// The places of the bits of a word that are set, ascending.
fn ones(mut rest: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let i = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(i)
    })
}
