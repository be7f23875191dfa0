//! The ends of queue pairs: what the queue pairs at both ends see of each other.

use crate::layout::RTS;
use crate::receives::ReceiveQueue;
use crate::region::Region;
use crate::request::Receives;
use litmpi_spec::heap::Word;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A queue pair: the number of its region, and its own there.
type Name = (usize, usize);
/// A queue of receives, as several queue pairs have it.
type Shared = Rc<RefCell<ReceiveQueue>>;

struct End {
    generation: u64,
    state: Rc<Cell<Word>>,
    receives: Option<Shared>,
}

/// All ends.
#[derive(Default)]
pub(crate) struct Ends(BTreeMap<Name, End>);

impl Ends {
    /// A queue pair that has been made, or made anew: its state.
    pub(crate) fn begin(&mut self, name: Name, generation: u64) -> Rc<Cell<Word>> {
        let state = Rc::new(Cell::new(RTS as Word));
        self.0.insert(name, End { generation, state: Rc::clone(&state), receives: None });
        state
    }

    /// The state of a queue pair, if it is still the one that it was.
    pub(crate) fn state(&self, name: Name, generation: u64) -> Option<Rc<Cell<Word>>> {
        self.0.get(&name).filter(|e| e.generation == generation).map(|e| Rc::clone(&e.state))
    }

    /// The receives of a queue pair: its own, or those of a queue that others have, too.
    pub(crate) fn receives(&mut self, region: &Rc<Region>, number: usize, index: usize, generation: u64) -> Shared {
        let ring = Receives::of(region, index);
        let known =
            self.0.iter().filter(|(name, e)| ring.is_shared || **name == (number, index) && e.generation == generation);
        let mut known = known.filter_map(|(_, e)| e.receives.as_ref());
        let found = known.find(|r| r.borrow().is_of(number, &ring)).cloned();
        let receives = found.unwrap_or_else(|| Rc::new(RefCell::new(ReceiveQueue::new(region, number, ring))));
        if let Some(end) = self.0.get_mut(&(number, index)) {
            end.receives = Some(Rc::clone(&receives));
        }
        receives
    }

    /// All queues of receives, each once.
    pub(crate) fn queues(&self) -> Vec<Shared> {
        let mut out: Vec<Shared> = vec![];
        for receives in self.0.values().filter_map(|e| e.receives.as_ref()) {
            if !receives.borrow().is_shared || !out.iter().any(|r| Rc::ptr_eq(r, receives)) {
                out.push(Rc::clone(receives));
            }
        }
        out
    }

    /// A queue pair is gone.
    pub(crate) fn end(&mut self, name: Name, generation: u64) {
        if self.0.get(&name).is_some_and(|e| e.generation == generation) {
            self.0.remove(&name);
        }
    }
}
