//! What is known of a value without running the program: the value itself, or the elements that may be in it.
//!
//! The same is known of every entry of the state, and of every field of a record or constructor, whichever value it is in: so it is
//! found, before the search, that no request is ever marked to be cancelled in a program that does not call `MPI_Cancel`, and that
//! the rules which ask for one never fire there.

use super::bits::Bits;
use super::sets::{Set, Sets};
use crate::machine::Machine;
use litmpi_spec::heap::Word;
use litmpi_spec::types::{Sort, Ty};

/// Numbers of what a value may hold: constructors, then nodes, threads, locations, registers by their slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atoms {
    nodes: usize,
    threads: usize,
    locs: usize,
    regs: usize,
    end: usize,
}

impl Atoms {
    pub(super) fn new(m: &Machine) -> Atoms {
        let nodes = m.spec.types.ctors.len();
        let threads = nodes + m.program.nodes.len();
        let locs = threads + m.program.threads.len();
        let regs = locs + m.numbers(Sort::Loc);
        // Registers come first in a state, behind the program counters.
        let end = regs + m.program.threads.len() + m.reg_types.len();
        Atoms { nodes, threads, locs, regs, end }
    }

    pub(super) fn none(self) -> Bits {
        Bits::new(self.end)
    }

    fn first(self, sort: Sort) -> (usize, usize) {
        match sort {
            Sort::Node => (self.nodes, self.threads),
            Sort::Thread => (self.threads, self.locs),
            Sort::Loc => (self.locs, self.regs),
        }
    }

    pub(super) fn element(self, m: &Machine, sort: Sort, i: Word) -> usize {
        self.first(sort).0 + m.number_of(sort, i as usize)
    }

    /// Whether this is a constructor or an element of a sort, and no register, of which there may be none in a value of its type.
    pub(super) fn is_in_values(self, atom: usize) -> bool {
        atom < self.regs
    }

    pub(super) fn register(self, slot: Word) -> usize {
        self.regs + slot as usize
    }

    /// The elements of a sort in a set.
    pub(super) fn elements<'s>(self, m: &'s Machine, sort: Sort, of: &'s Bits) -> impl Iterator<Item = usize> + 's {
        let (first, end) = self.first(sort);
        (first..end).filter(|i| of.has(*i)).map(move |i| m.element_of(sort, i - first))
    }

    /// The element of a number ([`Machine::number_of`]).
    pub(super) fn numbered(self, sort: Sort, number: usize) -> usize {
        self.first(sort).0 + number
    }

    /// The slots of the registers in a set.
    pub(super) fn registers(self, of: &Bits) -> impl Iterator<Item = usize> + '_ {
        (self.regs..self.end).filter(|i| of.has(*i)).map(move |i| i - self.regs)
    }

    /// Everything that is in a value.
    pub(super) fn collect(self, m: &Machine, ty: &Ty, word: Word, out: &mut Bits) {
        match ty {
            Ty::Int | Ty::Blob | Ty::Bool | Ty::Never => {}
            Ty::Sort(s) => out.add(self.element(m, *s, word)),
            Ty::Reg(_) if word != 0 => out.add(self.register(word)),
            Ty::Reg(_) => {}
            Ty::Seq(t) | Ty::Set(t) | Ty::Map(t) | Ty::Option(t) => {
                m.heap.get(word).iter().for_each(|w| self.collect(m, t, *w, out))
            }
            Ty::Tuple(ts) => ts.iter().zip(m.heap.get(word)).for_each(|(t, w)| self.collect(m, t, *w, out)),
            Ty::Record(r) => {
                let fields = &m.spec.types.records[*r].fields;
                fields.iter().zip(m.heap.get(word)).for_each(|((_, t), w)| self.collect(m, t, *w, out));
            }
            Ty::Variant(_) => {
                if let Some((c, rest)) = m.heap.get(word).split_first() {
                    out.add(*c as usize);
                    let fields = &m.spec.types.ctors[*c as usize].fields;
                    fields.iter().zip(rest).for_each(|((_, t), w)| self.collect(m, t, *w, out));
                }
            }
        }
    }
}

/// What is known of a value: never less than what it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Known {
    /// The value.
    pub(super) word: Option<Word>,
    /// What may be in it, or what it may be.
    pub(super) atoms: Set,
}

impl Known {
    /// Nothing but that nothing is in it.
    pub(super) const UNKNOWN: Known = Known { word: None, atoms: Set::EMPTY };

    /// A value in which nothing is.
    pub(super) fn plain(word: Word) -> Known {
        Known { word: Some(word), atoms: Set::EMPTY }
    }

    /// What is known of a value that is either.
    pub(super) fn or(self, other: Known, sets: &Sets) -> Known {
        let word = self.word.filter(|w| other.word == Some(*w));
        Known { word, atoms: sets.join(self.atoms, other.atoms) }
    }

    /// What is known of any part of it.
    pub(super) fn part(self) -> Known {
        Known { word: None, ..self }
    }

    /// What is known of it since it has this type: what is in a part is not all that is in the whole.
    pub(super) fn of_type(self, ty: &Ty, m: &Machine, (atoms, sets): (Atoms, &Sets)) -> Known {
        match (self.word, ty) {
            // The elements of `[]` have no type.
            (_, Ty::Never) => self,
            (_, Ty::Int | Ty::Blob | Ty::Bool) => Known { atoms: Set::EMPTY, ..self },
            (Some(w), _) => {
                let mut all = atoms.none();
                atoms.collect(m, ty, w, &mut all);
                Known { atoms: sets.number(all), ..self }
            }
            (None, _) => self,
        }
    }
}

/// The values that a place has had, as far as found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    One(Word),
    Several,
}

/// What may be in a place: an entry of the state, a field of a record or constructor. It grows until nothing new is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) seen: Seen,
    pub(super) atoms: Set,
}

impl Held {
    /// Nothing.
    pub(super) const NOTHING: Held = Held { seen: Seen::Nothing, atoms: Set::EMPTY };

    /// The value that is there, if it is always the same.
    pub(super) fn word(&self) -> Option<Word> {
        if let Seen::One(w) = self.seen { Some(w) } else { None }
    }

    /// What is known of a value that is there.
    pub(super) fn known(&self) -> Known {
        Known { word: self.word(), atoms: self.atoms }
    }

    /// Puts a value there; whether it was new.
    pub(super) fn put(&mut self, value: Known, sets: &Sets) -> bool {
        let seen = match (self.seen, value.word) {
            (Seen::Nothing, Some(w)) => Seen::One(w),
            (Seen::One(v), Some(w)) if v == w => Seen::One(v),
            _ => Seen::Several,
        };
        let atoms = sets.join(self.atoms, value.atoms);
        let new = (seen, atoms) != (self.seen, self.atoms);
        (self.seen, self.atoms) = (seen, atoms);
        new
    }
}

/// Whether a pattern matches a value of which this is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matches {
    Yes,
    No,
    Maybe,
}

impl Matches {
    pub(super) fn and(self, other: Matches) -> Matches {
        match (self, other) {
            (Matches::No, _) | (_, Matches::No) => Matches::No,
            (Matches::Yes, Matches::Yes) => Matches::Yes,
            _ => Matches::Maybe,
        }
    }

    pub(super) fn when(known: bool, holds: bool) -> Matches {
        match (known, holds) {
            (false, _) => Matches::Maybe,
            (true, true) => Matches::Yes,
            (true, false) => Matches::No,
        }
    }
}
