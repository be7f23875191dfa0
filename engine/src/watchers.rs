//! Which actors have looked at which slots, so that only those are asked again that looked at what differs.

use crate::reduce::Few;
use litmpi_spec::heap::Word;
use std::iter::successors;
use std::mem::replace;

/// Words of a state that are compared together.
const CHUNK: usize = 16;

/// No look.
const NONE: u32 = u32::MAX;

/// Actors by the slots that they have ever looked at.
#[derive(Debug, Default)]
pub(crate) struct Watchers {
    /// By slot: the last of `looks` at it.
    last: Vec<u32>,
    /// An actor that has looked at a slot, and the look at it before.
    looks: Vec<(u32, u32)>,
    /// By actor: the slots that it has looked at.
    known: Vec<Few>,
}

impl Watchers {
    /// Of states of that many slots; nobody has looked at any.
    pub(crate) fn new(slots: usize, actors: usize) -> Watchers {
        Watchers { last: vec![NONE; slots], looks: vec![], known: vec![Few::default(); actors] }
    }

    /// There are that many slots from here on.
    pub(crate) fn grow(&mut self, slots: usize) {
        self.last.resize(slots, NONE);
    }

    /// An actor has looked at these slots.
    pub(crate) fn add(&mut self, actor: usize, slots: &Few) {
        let Watchers { last, looks, known } = self;
        known[actor].join_new(slots, |slot| {
            let before = replace(&mut last[slot], looks.len() as u32);
            looks.push((actor as u32, before));
        });
    }

    /// Actors that have looked at a slot.
    pub(crate) fn of(&self, slot: usize) -> impl Iterator<Item = usize> {
        let look = |at: u32| (at != NONE).then(|| self.looks[at as usize]);
        successors(look(self.last[slot]), move |(_, before)| look(*before)).map(|(actor, _)| actor as usize)
    }

    /// The same of actors of which there are now so many, and whose new numbers are these; the others are gone.
    pub(crate) fn renumbered(&self, moved: &[Option<u32>], actors: usize) -> Watchers {
        let mut new = Watchers::new(self.last.len(), actors);
        for (known, actor) in self.known.iter().zip(moved) {
            actor.iter().for_each(|actor| new.add(*actor as usize, known));
        }
        new
    }

    /// Nobody has looked at anything.
    pub(crate) fn clear(&mut self) {
        self.last.fill(NONE);
        self.looks.clear();
        self.known.iter_mut().for_each(Few::clear);
    }
}

/// Makes of a state another one, and names every slot that differs. Of a large state most is as it was.
pub(crate) fn change(state: &mut [Word], to: &[Word], mut changed: impl FnMut(usize)) {
    for (from, (new, old)) in to.chunks(CHUNK).zip(state.chunks_mut(CHUNK)).enumerate() {
        if new == old {
            continue;
        }
        for (i, (new, old)) in new.iter().zip(old).enumerate().filter(|(_, (new, old))| new != old) {
            *old = *new;
            changed(from * CHUNK + i);
        }
    }
}
