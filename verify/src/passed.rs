//! What is forgotten of a process that goes one way, once it has come past a call: nobody comes back there, and a program may have a million calls. What stays is
//! which function it was and where, for the way to what is found.

use crate::explore::Explorer;
use crate::tree::{Next, Tree};
use std::mem::take;

impl Tree {
    /// Forgets what a call passed and what it was told. Whether there was a call.
    fn pass(&mut self, place: usize) -> bool {
        let place = &mut self.places[place];
        let Next::Call(call) = &place.next else { return false };
        place.next = Next::Passed(call.function);
        _ = (take(&mut place.then), take(&mut place.seen), take(&mut place.turns), take(&mut place.variables));
        true
    }
}

impl Explorer<'_> {
    /// Forgets a call that a process has come past, and its code. A behaviour that is followed again is looked at as a whole, and nothing of it is
    /// forgotten.
    pub(crate) fn pass(&mut self, rank: usize, place: usize) {
        if !self.tree.one_way || self.run.again.is_some() || !self.tree.pass(place) {
            return;
        }
        let ask = self.asks.remove(&place);
        if let (Some(at), Some(ask)) = (self.code.remove(&place), ask) {
            self.places.remove(&(rank, ask));
            self.model.machine_mut().forget_code(rank, at..ask + 1);
        }
    }
}
