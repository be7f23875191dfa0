//! Relations over events as bit sets: a row of 64-bit words an event. A set of events is the identity relation on it,
//! so that union, intersection and difference are the same for both.

use smallvec::SmallVec;

/// A relation over the events `0..size`.
#[derive(Debug, PartialEq, Eq)]
pub struct Relation {
    size: usize,
    /// Words a row.
    width: usize,
    /// Those of small programs need no memory of their own.
    bits: SmallVec<[u64; 24]>,
}

/// Words are copied at once, and into what is there if it is as large.
impl Clone for Relation {
    fn clone(&self) -> Relation {
        Relation { size: self.size, width: self.width, bits: SmallVec::from_slice(&self.bits) }
    }

    fn clone_from(&mut self, other: &Relation) {
        if self.size == other.size {
            self.bits.copy_from_slice(&other.bits);
        } else {
            *self = other.clone();
        }
    }
}

impl Relation {
    /// No edge.
    pub fn empty(size: usize) -> Relation {
        let width = size.div_ceil(64).max(1);
        Relation { size, width, bits: SmallVec::from_elem(0, size * width) }
    }

    /// The pairs for which `holds` says so.
    pub fn of(size: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let mut out = Relation::empty(size);
        for a in 0..size {
            for b in 0..size {
                if holds(a, b) {
                    out.insert(a, b);
                }
            }
        }
        out
    }

    /// The set of the events for which `holds` says so.
    pub fn set(size: usize, holds: impl Fn(usize) -> bool) -> Relation {
        let mut out = Relation::empty(size);
        (0..size).filter(|a| holds(*a)).for_each(|a| out.insert(a, a));
        out
    }

    /// Every pair.
    pub fn full(size: usize) -> Relation {
        let mut out = Relation::empty(size);
        let all = Relation::identity(size);
        out.join_product(&all, &all);
        out
    }

    /// Every event with itself: as a set, all events.
    pub fn identity(size: usize) -> Relation {
        Relation::set(size, |_| true)
    }

    /// How many events there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds an edge.
    pub fn insert(&mut self, a: usize, b: usize) {
        self.bits[a * self.width + b / 64] |= 1 << (b % 64);
    }

    /// Takes an edge away.
    pub fn remove(&mut self, a: usize, b: usize) {
        self.bits[a * self.width + b / 64] &= !(1 << (b % 64));
    }

    /// Whether `a` is related to `b`; for a set, with `a = b`, whether it holds `a`.
    pub fn contains(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.width + b / 64] >> (b % 64) & 1 == 1
    }

    /// Whether there is no edge.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|w| *w == 0)
    }

    /// Whether no event is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).all(|a| !self.contains(a, a))
    }

    /// Whether there is no cycle.
    pub fn is_acyclic(&self) -> bool {
        if self.width > 1 {
            return self.closure().is_irreflexive();
        }
        // Events from which no edge leads to one that is left go, until all are gone or none goes.
        let mut left = u64::MAX;
        loop {
            let rows = self.bits.iter().enumerate();
            let stays = rows.fold(0, |stays, (a, row)| stays | u64::from(row & left != 0) << a);
            if stays == left || stays == 0 {
                return stays == 0;
            }
            left = stays;
        }
    }

    /// The edges, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size).flat_map(move |a| self.row(a).map(move |b| (a, b)))
    }

    /// What `a` is related to.
    pub fn row(&self, a: usize) -> impl Iterator<Item = usize> + '_ {
        let words = &self.bits[a * self.width..(a + 1) * self.width];
        words.iter().enumerate().flat_map(|(i, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }

    fn zip(&mut self, other: &Relation, op: impl Fn(u64, u64) -> u64) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a = op(*a, *b));
    }

    /// Takes every edge away.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// `r | s`, in the place of `r`
    pub fn join(&mut self, other: &Relation) {
        self.zip(other, |a, b| a | b);
    }

    /// `r \ s`
    #[must_use]
    pub fn minus(mut self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & !b);
        self
    }

    /// Adds to each row what the rows of two others there give.
    fn join_zip(&mut self, one: &Relation, other: &Relation, op: impl Fn(u64, u64) -> u64) {
        let rows = one.bits.iter().zip(&other.bits);
        self.bits.iter_mut().zip(rows).for_each(|(to, (a, b))| *to |= op(*a, *b));
    }

    /// Adds the edges of `r & s`.
    pub fn join_meet(&mut self, one: &Relation, other: &Relation) {
        self.join_zip(one, other, |a, b| a & b);
    }

    /// Adds the edges of `r \ s`.
    pub fn join_minus(&mut self, one: &Relation, other: &Relation) {
        self.join_zip(one, other, |a, b| a & !b);
    }

    fn add_row(&mut self, to: usize, from: &Relation, row: usize) {
        for i in 0..self.width {
            self.bits[to * self.width + i] |= from.bits[row * self.width + i];
        }
    }

    /// Adds the edges of `r ; s`.
    pub fn join_then(&mut self, one: &Relation, other: &Relation) {
        if self.width == 1 {
            for (to, row) in self.bits.iter_mut().zip(&one.bits) {
                let mut rest = *row;
                while rest != 0 {
                    *to |= other.bits[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
            }
            return;
        }
        for a in 0..self.size {
            for b in one.row(a) {
                self.add_row(a, other, b);
            }
        }
    }

    /// Adds the edges of `r^-1`.
    pub fn join_inverse(&mut self, of: &Relation) {
        if self.width == 1 {
            for (a, row) in of.bits.iter().enumerate() {
                let mut rest = *row;
                while rest != 0 {
                    self.bits[rest.trailing_zeros() as usize] |= 1 << a;
                    rest &= rest - 1;
                }
            }
            return;
        }
        for (a, b) in of.pairs() {
            self.insert(b, a);
        }
    }

    /// `r^+` in the place of `r`, by Warshall's algorithm on whole rows.
    pub fn close(&mut self) {
        if self.width == 1 {
            for k in 0..self.size {
                let through = self.bits[k];
                // All of it or nothing, without a branch.
                self.bits.iter_mut().for_each(|row| *row |= through & (*row >> k & 1).wrapping_neg());
            }
            return;
        }
        let mut through: SmallVec<[u64; 4]> = SmallVec::from_elem(0, self.width);
        for k in 0..self.size {
            through.copy_from_slice(&self.bits[k * self.width..(k + 1) * self.width]);
            if through.iter().all(|w| *w == 0) {
                continue;
            }
            for a in 0..self.size {
                if self.contains(a, k) {
                    let row = &mut self.bits[a * self.width..(a + 1) * self.width];
                    row.iter_mut().zip(&through).for_each(|(x, y)| *x |= y);
                }
            }
        }
    }

    /// `r^+`
    #[must_use]
    pub fn closure(&self) -> Relation {
        let mut out = self.clone();
        out.close();
        out
    }

    /// Adds the edges of `S * T` of two sets.
    pub fn join_product(&mut self, one: &Relation, other: &Relation) {
        let mut row: SmallVec<[u64; 4]> = SmallVec::from_elem(0, self.width);
        (0..self.size).filter(|b| other.contains(*b, *b)).for_each(|b| row[b / 64] |= 1 << (b % 64));
        for a in (0..self.size).filter(|a| one.contains(*a, *a)) {
            let to = &mut self.bits[a * self.width..(a + 1) * self.width];
            to.iter_mut().zip(&row).for_each(|(to, word)| *to |= word);
        }
    }

    /// Adds the events that are related to something, as a set.
    pub fn join_domain(&mut self, of: &Relation) {
        for a in 0..self.size {
            if of.row(a).next().is_some() {
                self.insert(a, a);
            }
        }
    }

    /// The classes of the least equivalence that has every edge, as sets, by their first events: events that are related to
    /// none are in none.
    pub fn classes(&self) -> Vec<Relation> {
        let mut all = self.clone();
        all.join_inverse(self);
        all.close();
        let first = |a: &usize| all.row(*a).next() == Some(*a);
        (0..self.size).filter(first).map(|a| Relation::set(self.size, |b| all.contains(a, b))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Relation;

    /// What an operation adds to nothing.
    fn made(size: usize, add: impl Fn(&mut Relation)) -> Relation {
        let mut out = Relation::empty(size);
        add(&mut out);
        out
    }

    #[test]
    fn relations_of_more_than_64_events_close_over_word_boundaries() {
        let chain = Relation::of(150, |a, b| b == a + 1);
        assert_eq!(chain.closure(), Relation::of(150, |a, b| a < b));
        assert!(chain.is_acyclic());
        assert!(!Relation::of(150, |a, b| b == (a + 1) % 150).is_acyclic());
        let two = made(150, |to| to.join_then(&chain, &chain));
        assert_eq!(made(150, |to| to.join_inverse(&two)), Relation::of(150, |a, b| a == b + 2));
        assert_eq!(made(150, |to| to.join_domain(&chain)), Relation::set(150, |a| a < 149));
        let (low, odd) = (Relation::set(150, |a| a < 3), Relation::set(150, |a| a % 2 == 1));
        assert_eq!(made(150, |to| to.join_product(&low, &odd)), Relation::of(150, |a, b| a < 3 && b % 2 == 1));
    }

    #[test]
    fn operations_on_one_word_a_row_are_those_of_their_definitions() {
        for size in 0..=3 {
            // Every relation over so few events.
            for bits in 0..1_u32 << (size * size) {
                let r = Relation::of(size, |a, b| bits >> (a * size + b) & 1 != 0);
                assert_eq!(r.is_acyclic(), r.closure().is_irreflexive(), "{r:?}");
                assert_eq!(made(size, |to| to.join_inverse(&r)), Relation::of(size, |a, b| r.contains(b, a)));
                let diagonal = Relation::set(size, |a| r.contains(a, a));
                assert_eq!(diagonal, Relation::of(size, |a, b| a == b && r.contains(a, a)));
                let domain = made(size, |to| to.join_domain(&r));
                let product = Relation::of(size, |a, b| r.contains(a, a) && domain.contains(b, b));
                assert_eq!(made(size, |to| to.join_product(&r, &domain)), product);
                let mut copy = Relation::full(size);
                copy.clone_from(&r);
                assert_eq!((&copy, r.clone()), (&r, r.clone()));
            }
        }
        let ring = |n: usize| Relation::of(n, |a, b| b == (a + 1) % n);
        assert!(!ring(64).is_acyclic() && !ring(1).is_acyclic());
        assert!(Relation::of(64, |a, b| a < b).is_acyclic() && Relation::of(64, |a, b| a > b).is_acyclic());
    }
}
