//! Where everything stands in a state: program counters by thread, registers by thread, then the entries of the state variables.

use crate::machine::{Machine, size};
use litmpi_spec::heap::Word;
use litmpi_spec::types::Ty;
use std::ops::Range;

/// An entry of a state variable, and its field.
pub(crate) struct Entry {
    pub(crate) var: usize,
    pub(crate) index: Vec<Word>,
    /// 0 where an entry is one slot.
    pub(crate) field: usize,
}

impl Machine {
    /// The slot of a register, by index of its thread and its own.
    pub fn reg_slot(&self, thread: usize, register: usize) -> usize {
        self.reg_base[thread] + register
    }

    /// The type of a register.
    pub(crate) fn reg_type(&self, thread: usize, register: usize) -> &Ty {
        &self.reg_types[self.reg_slot(thread, register) - self.program.threads.len()]
    }

    /// The slots of a state variable, but for those of memory of which not all is kept.
    pub(crate) fn slots_of(&self, var: usize) -> Range<usize> {
        let v = &self.spec.state[var];
        let entries: usize = v.index.iter().map(|s| self.entries(*s)).product();
        self.var_base[var]..self.var_base[var] + entries * v.fields.len().max(1)
    }

    /// The slot of a location's value; none in a specification without memory, and of a location that is not kept.
    pub fn loc_slot(&self, loc: usize) -> Option<usize> {
        let memory = self.memory?;
        match &self.sparse {
            None => Some(self.var_base[memory] + loc),
            Some(sparse) => sparse.slot(memory, loc),
        }
    }

    /// The entry of a state variable that a slot is, if it is one.
    pub(crate) fn state_entry(&self, slot: usize) -> Option<Entry> {
        if let Some((var, loc, field)) = self.sparse.as_ref().and_then(|s| s.entry(slot)) {
            return Some(Entry { var, index: vec![loc as Word], field });
        }
        let first = self.program.threads.len() + self.reg_types.len();
        let var = (slot >= first).then(|| self.var_base.iter().rposition(|b| *b <= slot)).flatten()?;
        let (sorts, fields) = (&self.spec.state[var].index, self.spec.state[var].fields.len().max(1));
        let (mut entry, field) = ((slot - self.var_base[var]) / fields, (slot - self.var_base[var]) % fields);
        let mut index: Vec<Word> = vec![];
        for sort in sorts.iter().rev() {
            let n = size(&self.program, *sort);
            index.push((entry % n) as Word);
            entry /= n;
        }
        index.reverse();
        Some(Entry { var, index, field })
    }
}
