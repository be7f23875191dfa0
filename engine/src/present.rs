//! What threads and rules do in one state, for who goes from state to state and never back.
//!
//! A walk needs no memory of the states that it has left, but most of what its actors do in a state they do in the next one, too: each
//! transition changes a few slots, and who looked at none of them finds the same again ([`crate::memo`] says why). So what an actor
//! does is kept until a slot changes that it has looked at, and a step costs what it changes, however many ranks there are.

use crate::actors::{Actors, Move};
use crate::eval::Fault;
use crate::machine::{Machine, Step};
use crate::reduce::{Bits, Few};
use crate::touched::Touched;
use crate::watchers::{Watchers, change};
use litmpi_spec::heap::Word;
use std::mem::take;

/// What an actor does.
#[derive(Debug, Default)]
struct Doing {
    moves: Vec<Move>,
    /// The slots that this depends on.
    looked: Few,
    /// It stands still because it is not known how its process goes on.
    asked: bool,
}

/// What actors do in the state that a walk has come to.
#[derive(Debug)]
pub struct Present {
    actors: Actors,
    state: Vec<Word>,
    doing: Vec<Doing>,
    watchers: Watchers,
    stale: Bits,
    touched: Touched,
    next: Vec<Word>,
}

impl Present {
    /// Of this machine, in no state yet.
    pub fn new(m: &Machine) -> Present {
        let actors = Actors::of(m);
        let count = actors.count();
        Present {
            actors,
            state: vec![],
            doing: std::iter::repeat_with(Doing::default).take(count).collect(),
            watchers: Watchers::new(m.width(), count),
            stale: Bits::new(count),
            touched: Touched::of_walk(),
            next: vec![0; m.width()],
        }
    }

    /// Goes to another state of the machine, which may know more of its processes than it did, and is the same one otherwise.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn go_to(&mut self, m: &Machine, state: &[Word]) -> Result<(), Fault> {
        if self.next.len() < state.len() {
            // More of memory is kept, and nobody has looked there.
            if !self.state.is_empty() {
                self.state.extend_from_slice(&state[self.state.len()..]);
            }
            self.next.resize(state.len(), 0);
            self.watchers.grow(state.len());
        }
        if self.state.is_empty() {
            self.state.extend_from_slice(state);
            (0..self.doing.len()).for_each(|actor| self.stale.add(actor));
        }
        for (actor, _) in self.doing.iter().enumerate().filter(|(_, d)| d.asked) {
            self.stale.add(actor);
        }
        let Present { state: known, watchers, doing, stale, .. } = self;
        change(known, state, |slot| {
            watchers.of(slot).filter(|a| doing[*a].looked.has(slot)).for_each(|a| stale.add(a));
        });
        let stale: Vec<usize> = self.stale.iter().collect();
        self.stale.clear();
        stale.into_iter().try_for_each(|actor| self.renew(m, actor, state))
    }

    /// Finds out what an actor does in a state.
    fn renew(&mut self, m: &Machine, actor: usize, state: &[Word]) -> Result<(), Fault> {
        let found = self.actors.found(m, actor, state, &mut self.next, &self.touched)?;
        let looked = take(&mut *self.touched.looked.borrow_mut());
        self.watchers.add(actor, &looked);
        self.doing[actor] = Doing { moves: found.moves, looked, asked: self.touched.asked.get() };
        Ok(())
    }

    fn moves(&self) -> impl Iterator<Item = &Move> {
        self.doing.iter().flat_map(|d| &d.moves)
    }

    /// The transitions that lead to a state, always in the same order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.moves().filter(|m| m.to.is_ok()).map(|m| &m.step)
    }

    /// The first erroneous transition and what is wrong with it, if there is one.
    pub fn erroneous(&self) -> Option<(&Step, &str)> {
        self.moves().find_map(|m| Some((&m.step, m.to.as_ref().err()?.as_ref())))
    }

    /// Makes of the state the one to which the transition of that number leads.
    pub fn take(&self, number: usize, state: &mut [Word]) {
        if let Some(m) = self.moves().filter(|m| m.to.is_ok()).nth(number) {
            m.apply(state);
        }
    }
}
