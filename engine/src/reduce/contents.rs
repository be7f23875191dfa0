//! What may be where in any state of a program.

use super::bits::Few;
use super::followed::Followed;
use super::sets::{Set, Sets};
use super::value::{Atoms, Held, Known, Seen};
use crate::machine::Machine;
use litmpi_spec::heap::Word;
use litmpi_spec::types::Ty;

/// So many growths are looked through one by one.
const FEW_GROWTHS: usize = 8;

/// What may be where in any state, as far as found out: grows until nothing new is found.
pub(super) struct Contents {
    pub(super) atoms: Atoms,
    pub(super) sets: Sets,
    /// By entry: the slots of the state, then the fields of all constructors, then those of all records.
    pub(super) held: Vec<Held>,
    /// Where the fields of each constructor, and of each record, begin.
    pub(super) ctors: Vec<usize>,
    pub(super) records: Vec<usize>,
    /// The entries of which more became known, in this order.
    grown: Vec<u32>,
    /// By entry: how often more had become known of some entry when more last became known of this one.
    grown_last: Vec<u32>,
    /// Calls that were followed.
    pub(super) followed: Followed,
}

impl Contents {
    /// Nothing is anywhere; of registers it is not asked what they hold, since what programs compute is not followed.
    pub(super) fn new(m: &Machine) -> Contents {
        let atoms = Atoms::new(m);
        let mut entries = m.width();
        let mut begin = |fields: usize| {
            entries += fields;
            entries - fields
        };
        let ctors = m.spec.types.ctors.iter().map(|c| begin(c.fields.len())).collect();
        let records = m.spec.types.records.iter().map(|r| begin(r.fields.len())).collect();
        let mut held = vec![Held::NOTHING; entries];
        for register in &mut held[..m.program.threads.len() + m.reg_types.len()] {
            register.seen = Seen::Several;
        }
        let (sets, followed) = (Sets::new(atoms.none()), Followed::default());
        Contents { atoms, sets, held, ctors, records, grown: vec![], grown_last: vec![0; entries], followed }
    }

    pub(super) fn put(&mut self, entry: usize, value: Known) {
        if self.held[entry].put(value, &self.sets) {
            self.grown.push(entry as u32);
            self.grown_last[entry] = self.grown.len() as u32;
        }
    }

    pub(super) fn put_in_ctor(&mut self, ctor: usize, field: usize, value: Known) {
        self.put(self.ctors[ctor] + field, value);
    }

    pub(super) fn put_in_record(&mut self, record: usize, field: usize, value: Known) {
        self.put(self.records[record] + field, value);
    }

    /// How often more became known of some entry.
    pub(super) fn growths(&self) -> usize {
        self.grown.len()
    }

    /// Whether more became known of one of these entries after so many growths.
    pub(super) fn has_grown(&self, entries: &Few, since: usize) -> bool {
        let new = &self.grown[since..];
        if new.len() <= FEW_GROWTHS {
            return new.iter().any(|e| entries.has(*e as usize));
        }
        entries.iter().any(|e| self.grown_last[e] as usize > since)
    }

    /// What is known of a value of this type.
    pub(super) fn value(&self, m: &Machine, ty: &Ty, word: Word) -> Known {
        self.of_type(m, ty, Known::plain(word))
    }

    /// What is known of a value since it has this type.
    pub(super) fn of_type(&self, m: &Machine, ty: &Ty, known: Known) -> Known {
        known.of_type(ty, m, (self.atoms, &self.sets))
    }

    /// The set of one atom.
    pub(super) fn only(&self, atom: usize) -> Set {
        self.sets.with(Set::EMPTY, atom)
    }
}
