//! The ends of queue pairs: what the queue pairs at both ends see of each other.

use crate::layout::{QP_ALIVE, RTS, SRQ_ALIVE};
use crate::receives::{ReceiveQueue, Taker};
use crate::region::Region;
use crate::request::{Receives, qp_at, srq_at};
use litmpi_spec::heap::Word;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

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
pub(crate) struct Ends {
    all: BTreeMap<Name, End>,
    /// Queues of receives for datagrams, by their rank.
    ranks: Vec<Weak<RefCell<ReceiveQueue>>>,
    /// Shared queues of extended connections, by their region and number, and which one that was.
    extended: BTreeMap<Name, (Rc<Region>, u64, Shared)>,
    /// All queues of receives, each once, until there are others.
    listed: RefCell<Option<Rc<[Shared]>>>,
}

impl Ends {
    /// A queue pair that has been made, or made anew: its state.
    pub(crate) fn begin(&mut self, name: Name, generation: u64) -> Rc<Cell<Word>> {
        let state = Rc::new(Cell::new(RTS as Word));
        self.listed.take();
        self.all.insert(name, End { generation, state: Rc::clone(&state), receives: None });
        state
    }

    /// The state of a queue pair, if it is still the one that it was.
    pub(crate) fn state(&self, name: Name, generation: u64) -> Option<Rc<Cell<Word>>> {
        self.all.get(&name).filter(|e| e.generation == generation).map(|e| Rc::clone(&e.state))
    }

    /// The receives of a queue pair: its own, or those of a queue that others have, too.
    pub(crate) fn receives(
        &mut self,
        region: &Rc<Region>,
        (number, index, generation): (usize, usize, u64),
        takes_datagrams: bool,
    ) -> Shared {
        let ring = Receives::of(region, index);
        let taker = match ring.is_shared {
            _ if takes_datagrams => Taker::Datagrams,
            true => Taker::Shared,
            false => Taker::Own,
        };
        let same =
            |(name, e): &(&Name, &End)| ring.is_shared || **name == (number, index) && e.generation == generation;
        let mut known = self.all.iter().filter(same).filter_map(|(_, e)| e.receives.as_ref());
        let found = known.find(|r| r.borrow().is_of(number, &ring, taker)).cloned();
        let receives = found.unwrap_or_else(|| {
            // A connected queue pair takes from one queue only.
            let rank = if takes_datagrams { self.ranks.iter().position(|r| r.strong_count() == 0) } else { Some(0) };
            let rank = rank.unwrap_or(self.ranks.len());
            let of = (!ring.is_shared).then(|| (qp_at(index) + QP_ALIVE, generation));
            let made = Rc::new(RefCell::new(ReceiveQueue::new((region, number), (ring, of), taker, rank)));
            if takes_datagrams {
                self.ranks.resize_with(self.ranks.len().max(rank + 1), Weak::new);
                self.ranks[rank] = Rc::downgrade(&made);
            }
            made
        });
        let is_new = |e: &&mut End| e.receives.as_ref().is_none_or(|known| !Rc::ptr_eq(known, &receives));
        if let Some(end) = self.all.get_mut(&(number, index)).filter(is_new) {
            self.listed.take();
            end.receives = Some(Rc::clone(&receives));
        }
        receives
    }

    /// The receives of a shared queue of extended connections.
    pub(crate) fn extended(&mut self, region: &Rc<Region>, (number, srq): Name) -> Shared {
        let made = region.get(srq_at(srq) + SRQ_ALIVE);
        if let Some((_, of, receives)) = self.extended.get(&(number, srq))
            && *of == made
        {
            return Rc::clone(receives);
        }
        let queue = ReceiveQueue::new((region, number), (Receives::shared(srq), None), Taker::Shared, 0);
        let receives = Rc::new(RefCell::new(queue));
        self.listed.take();
        self.extended.insert((number, srq), (Rc::clone(region), made, Rc::clone(&receives)));
        receives
    }

    /// Shared queues of extended connections that are there no more take nothing: another one may have their place.
    pub(crate) fn forget_queues(&mut self) {
        let before = self.extended.len();
        self.extended.retain(|(_, srq), (region, made, _)| region.get(srq_at(*srq) + SRQ_ALIVE) == *made);
        if self.extended.len() < before {
            self.listed.take();
        }
    }

    /// All queues of receives, each once.
    pub(crate) fn queues(&self) -> Rc<[Shared]> {
        if let Some(listed) = &*self.listed.borrow() {
            return Rc::clone(listed);
        }
        let mut out: Vec<Shared> = vec![];
        for receives in self.all.values().filter_map(|e| e.receives.as_ref()) {
            if receives.borrow().taker == Taker::Own || !out.iter().any(|r| Rc::ptr_eq(r, receives)) {
                out.push(Rc::clone(receives));
            }
        }
        out.extend(self.extended.values().map(|(.., receives)| Rc::clone(receives)));
        let listed: Rc<[Shared]> = Rc::from(out);
        *self.listed.borrow_mut() = Some(Rc::clone(&listed));
        listed
    }

    /// A queue pair is gone.
    pub(crate) fn end(&mut self, name: Name, generation: u64) {
        if self.all.get(&name).is_some_and(|e| e.generation == generation) {
            self.listed.take();
            self.all.remove(&name);
        }
    }
}
