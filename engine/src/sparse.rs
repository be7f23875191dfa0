//! Memory of which a state holds only what is looked at: that of processes that run.
//!
//! A process may have buffers of many megabytes, of which a message or a window touches few elements. So the locations of such a program
//! ([`litmpi_spec::program::Array`]) are numbers alone, which cost nothing. Those that calls name are *kept*: they have slots behind all others of a
//! state, which is made wider when more of them become known. What is not kept holds what it held at first. The rules do not look there unless
//! it is not known yet how a process goes on; [`Machine::went_beyond`] says whether they have.

use crate::eval::{Eval, Fault};
use crate::machine::Machine;
use litmpi_spec::heap::Word;
use litmpi_spec::program::Array;
use litmpi_spec::types::Sort;
use std::sync::atomic::{AtomicBool, Ordering};

/// Locations that are kept together.
const PAGE: usize = 16;
/// Pages that are looked up together.
const LEAVES: usize = 4096;
/// The slot of what is not kept.
pub(crate) const NOWHERE: usize = usize::MAX;

/// Where what is kept of memory stands in a state.
#[derive(Debug, Default)]
pub(crate) struct Sparse {
    /// The first slot.
    base: usize,
    /// State variables by locations: the variable, where its entries begin among the slots of a page, and slots of an entry.
    vars: Vec<(usize, usize, usize)>,
    /// What the slots of a page hold at first.
    fresh: Vec<Word>,
    /// One more than the place of each page among those that are kept, 0 of one that is not.
    places: Vec<Option<Box<[u32]>>>,
    /// The pages that are kept, by their places.
    pages: Vec<u32>,
    /// Whether somebody has looked at what is not kept.
    beyond: AtomicBool,
}

impl Sparse {
    /// The place of a location among all that are kept.
    pub(crate) fn number(&self, loc: usize) -> Option<usize> {
        let page = loc / PAGE;
        let place = self.places.get(page / LEAVES)?.as_ref()?[page % LEAVES];
        place.checked_sub(1).map(|place| place as usize * PAGE + loc % PAGE)
    }

    /// The location of a place.
    pub(crate) fn location(&self, number: usize) -> usize {
        self.pages[number / PAGE] as usize * PAGE + number % PAGE
    }

    /// How many locations are kept.
    pub(crate) fn count(&self) -> usize {
        self.pages.len() * PAGE
    }

    /// The first slot of a location's entry of a variable.
    pub(crate) fn slot(&self, var: usize, loc: usize) -> Option<usize> {
        let number = self.number(loc)?;
        let (_, offset, fields) = self.vars.iter().find(|(v, ..)| *v == var)?;
        Some(self.base + number / PAGE * self.fresh.len() + offset + number % PAGE * fields)
    }

    /// The variable, the location and the field of a slot.
    pub(crate) fn entry(&self, slot: usize) -> Option<(usize, usize, usize)> {
        let (page, within) = {
            let at = slot.checked_sub(self.base)?;
            (at / self.fresh.len().max(1), at % self.fresh.len().max(1))
        };
        let (var, offset, fields) = self.vars.iter().rfind(|(_, offset, _)| *offset <= within)?;
        let number = page * PAGE + (within - offset) / fields;
        (number < self.count()).then(|| (*var, self.location(number), (within - offset) % fields))
    }

    /// Keeps the page of a location; whether it is new.
    fn add(&mut self, loc: usize) -> bool {
        let page = loc / PAGE;
        if self.places.len() <= page / LEAVES {
            self.places.resize(page / LEAVES + 1, None);
        }
        let leaves = self.places[page / LEAVES].get_or_insert_with(|| vec![0; LEAVES].into());
        let place = &mut leaves[page % LEAVES];
        if *place > 0 {
            return false;
        }
        self.pages.push(page as u32);
        *place = self.pages.len() as u32;
        true
    }
}

impl Machine {
    /// Lays out what is kept of memory, behind that many slots; none if the program's locations are listed.
    pub(crate) fn lay_out_memory(&mut self, base: usize) -> Result<(), Fault> {
        if !self.program.is_sparse() {
            return Ok(());
        }
        let mut sparse = Sparse { base, ..Sparse::default() };
        for (v, var) in self.spec.state.iter().enumerate().filter(|(_, v)| v.index.contains(&Sort::Loc)) {
            if var.index != [Sort::Loc] || var.keeps.is_some() {
                let why = format!("the memory of programs that run cannot be had with `{}`", var.name);
                return Err(Fault::new(&var.span, why));
            }
            let mut frame = vec![0; var.slots.max(1)];
            frame[0] = self.program.arrays[0].first as Word;
            let value = Eval::new(self, &[]).eval(&var.init, &mut frame)?;
            let one = if var.fields.is_empty() { vec![value] } else { self.heap.get(value).to_vec() };
            sparse.vars.push((v, sparse.fresh.len(), one.len()));
            (0..PAGE).for_each(|_| sparse.fresh.extend_from_slice(&one));
        }
        self.sparse = Some(sparse);
        // The model's own locations are few, and rules know them from the beginning.
        self.keep_locations(0..self.program.locs.len());
        Ok(())
    }

    /// From here on these locations are kept: states are wider ([`Machine::widen`]).
    pub fn keep_locations(&mut self, locs: impl IntoIterator<Item = usize>) {
        let Some(sparse) = &mut self.sparse else { return };
        let new = locs.into_iter().filter(|loc| sparse.add(*loc)).count();
        if new > 0 {
            let fresh = sparse.fresh.clone();
            let mut initial = self.initial().to_vec();
            (0..new).for_each(|_| initial.extend_from_slice(&fresh));
            self.looks.grow(initial.len());
            self.set_initial(initial);
            self.remembered.forget();
        }
    }

    /// How many locations are kept.
    pub fn kept_locations(&self) -> usize {
        self.sparse.as_ref().map_or(0, Sparse::count)
    }

    /// Makes a state as wide as states are now.
    pub fn widen(&self, state: &mut Vec<Word>) {
        if let Some(more) = self.initial().get(state.len()..) {
            state.extend_from_slice(more);
        }
    }

    /// Says which arrays of memory there are, if they have become others.
    pub fn set_arrays(&mut self, arrays: Vec<Array>) {
        self.program.arrays = arrays;
        // How far a location is from the end of its array may have been asked in calls that are remembered.
        self.calls.forget();
        self.remembered.forget();
    }

    /// Whether rules have looked at locations that are not kept, or written there, since this was last asked.
    pub fn went_beyond(&self) -> bool {
        self.sparse.as_ref().is_some_and(|s| s.beyond.swap(false, Ordering::Relaxed))
    }

    /// What an entry holds that is not kept, or was not when a state was made.
    #[cold]
    pub(crate) fn beyond(&self, var: usize, field: Option<usize>, slot: usize) -> Word {
        let Some(sparse) = &self.sparse else { return 0 };
        if slot == NOWHERE {
            sparse.beyond.store(true, Ordering::Relaxed);
        }
        let (_, offset, fields) = sparse.vars.iter().find(|(v, ..)| *v == var).copied().unwrap_or((var, 0, 1));
        match field {
            Some(field) => sparse.fresh[offset + field],
            None if self.spec.state[var].fields.is_empty() => sparse.fresh[offset],
            None => self.heap.intern(&sparse.fresh[offset..offset + fields]),
        }
    }

    /// The number of an element of a sort among those that states speak of: of an array's locations that are not kept, one for all of them.
    pub(crate) fn number_of(&self, sort: Sort, i: usize) -> usize {
        match &self.sparse {
            Some(sparse) if sort == Sort::Loc => {
                let array = || self.program.arrays.partition_point(|a| a.first <= i).saturating_sub(1);
                sparse.number(i).unwrap_or_else(|| sparse.count() + array())
            }
            _ => i,
        }
    }

    /// How many such numbers there are.
    pub(crate) fn numbers(&self, sort: Sort) -> usize {
        match &self.sparse {
            Some(sparse) if sort == Sort::Loc => sparse.count() + self.program.arrays.len(),
            _ => crate::machine::size(&self.program, sort),
        }
    }

    /// The element of a number; one of an array's locations for those that are not kept, which says where they are.
    pub(crate) fn element_of(&self, sort: Sort, number: usize) -> usize {
        match &self.sparse {
            Some(sparse) if sort == Sort::Loc && number < sparse.count() => sparse.location(number),
            Some(sparse) if sort == Sort::Loc => self.program.arrays[number - sparse.count()].first,
            _ => number,
        }
    }

    /// The numbers of all locations of arrays.
    pub(crate) fn numbers_within(&self, arrays: Vec<std::ops::Range<usize>>) -> Vec<usize> {
        let Some(sparse) = &self.sparse else { return arrays.into_iter().flatten().collect() };
        let is_within = |at: usize| arrays.iter().any(|array| array.contains(&at));
        let kept = (0..sparse.count()).filter(|number| is_within(sparse.location(*number)));
        let firsts = self.program.arrays.iter().enumerate().filter(|(_, a)| is_within(a.first));
        kept.chain(firsts.map(|(i, _)| sparse.count() + i)).collect()
    }
}
