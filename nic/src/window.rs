//! The locations of one queue pair: which bytes of which process each stands for, and the values on their way.

use crate::place::Place;
use crate::rules::SLOTS;
use litmpi_spec::external::Memory;
use litmpi_spec::heap::Word;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The state variable that says which locations an atomic operation has read and not written yet.
const BUSY: &str = "busy";
/// The function by which the rules add.
const SUM: &str = "sum";

/// What a receiver is told once a message is in its memory.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub(crate) region: usize,
    pub(crate) cq: usize,
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) imm: u64,
    pub(crate) flags: u64,
    pub(crate) qpn: u64,
    pub(crate) solicited: bool,
}

/// The locations that an atomic operation has read and not written yet: the state variable `busy` of the rules, of which
/// all queue pairs see the same. A location is a process and a range of its bytes.
#[derive(Clone, Default)]
pub(crate) struct Busy(Rc<RefCell<Vec<Place>>>);

impl Busy {
    fn holds(&self, place: &Place) -> bool {
        self.0.borrow().iter().any(|p| p.is_same(place))
    }

    fn set(&self, place: &Place, busy: bool) {
        let mut all = self.0.borrow_mut();
        all.retain(|p| !p.is_same(place));
        if busy {
            all.push(place.clone());
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }
}

/// A write of the other node's memory that is to come.
enum Coming {
    /// By a put, and whom to tell then.
    Put(Option<Arrival>),
    /// By an atomic operation, if it turns out to write.
    Update { writes: bool },
}

/// An access to memory that is prepared and not made yet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// Of a location, to become this value.
    Load { loc: usize, value: usize },
    /// Of this value to a location.
    Store { loc: usize, value: usize },
}

#[derive(Default)]
struct Inside {
    local: Vec<Place>,
    remote: Vec<Place>,
    values: Vec<Vec<u8>>,
    /// In order.
    coming: VecDeque<Coming>,
    arrived: Vec<Arrival>,
    lost: bool,
    /// Values are numbers that rules compare.
    counts: bool,
    /// While accesses are prepared.
    prepared: Option<Vec<Access>>,
}

/// The memory that the rules of one queue pair see. A location is a slot; the same bytes are the same slot, so that
/// rules that compare locations compare bytes. Limit: ranges that overlap and are not equal are different locations,
/// which matters only without the PCIe guarantee, where a read may be served from a write that is pending.
pub(crate) struct Window {
    inside: RefCell<Inside>,
    busy: Busy,
}

impl Window {
    pub(crate) fn new(busy: &Busy) -> Window {
        Window { inside: RefCell::default(), busy: busy.clone() }
    }

    /// Whether a request has room.
    pub(crate) fn has_room(&self) -> bool {
        let i = self.inside.borrow();
        i.local.len() < SLOTS && i.remote.len() < SLOTS
    }

    /// The location that stands for bytes of the asking process.
    pub(crate) fn local(&self, place: Place) -> Word {
        slot(&mut self.inside.borrow_mut().local, place)
    }

    /// The location that stands for bytes of the other process.
    pub(crate) fn remote(&self, place: Place) -> Word {
        SLOTS as Word + slot(&mut self.inside.borrow_mut().remote, place)
    }

    /// A value that came with a request.
    pub(crate) fn value(&self, bytes: Vec<u8>) -> Word {
        self.inside.borrow_mut().push(bytes)
    }

    /// A write to the other node will come; whom to tell.
    pub(crate) fn expect(&self, arrival: Option<Arrival>) {
        self.inside.borrow_mut().coming.push_back(Coming::Put(arrival));
    }

    /// Whether a write to the other node is still to come.
    pub(crate) fn owes_a_write(&self) -> bool {
        self.inside.borrow().coming.iter().any(|c| matches!(c, Coming::Put(_)))
    }

    /// An atomic operation of the other node's memory will come.
    pub(crate) fn expect_update(&self) {
        self.inside.borrow_mut().coming.push_back(Coming::Update { writes: false });
    }

    /// A number of a request.
    pub(crate) fn number(&self, number: u64) -> Word {
        self.inside.borrow_mut().counts = true;
        self.value(number.to_ne_bytes().to_vec())
    }

    /// From now on, accesses are prepared; false if they cannot be, since what rules do may hang on what they load.
    pub(crate) fn prepare(&self) -> bool {
        let mut i = self.inside.borrow_mut();
        i.prepared = (!i.counts).then(Vec::new);
        !i.counts
    }

    /// The accesses since; from now on, they are made at once.
    pub(crate) fn prepared(&self) -> Vec<Access> {
        self.inside.borrow_mut().prepared.take().unwrap_or_default()
    }

    /// Reads what an access that was prepared will be made to, for nothing.
    pub(crate) fn touch(&self, access: Access) {
        let (Access::Load { loc, .. } | Access::Store { loc, .. }) = access;
        std::hint::black_box(self.inside.borrow().place(loc).and_then(Place::read));
    }

    /// Makes an access that was prepared.
    pub(crate) fn make(&self, access: Access) {
        let mut i = self.inside.borrow_mut();
        match access {
            Access::Load { loc, value } => {
                let bytes = i.load(loc);
                i.values[value] = bytes;
            }
            Access::Store { loc, value } => i.store(loc, value),
        }
    }

    /// What has arrived since the last call.
    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        std::mem::take(&mut self.inside.borrow_mut().arrived)
    }

    /// Forgets everything; whether some memory could not be reached. For an idle queue pair.
    pub(crate) fn clear(&self) -> bool {
        std::mem::take(&mut *self.inside.borrow_mut()).lost
    }
}

fn slot(slots: &mut Vec<Place>, place: Place) -> Word {
    let at = slots.iter().position(|p| p.is_same(&place)).unwrap_or_else(|| {
        slots.push(place);
        slots.len() - 1
    });
    at as Word
}

impl Inside {
    fn push(&mut self, bytes: Vec<u8>) -> Word {
        let at = self.values.iter().position(|v| *v == bytes && bytes.len() <= 8).unwrap_or_else(|| {
            self.values.push(bytes);
            self.values.len() - 1
        });
        at as Word
    }

    fn place(&self, loc: usize) -> Option<&Place> {
        if loc < SLOTS { self.local.get(loc) } else { self.remote.get(loc - SLOTS) }
    }
}

impl Inside {
    fn load(&mut self, loc: usize) -> Vec<u8> {
        let bytes = self.place(loc).and_then(Place::read);
        self.lost |= bytes.is_none();
        bytes.unwrap_or_default()
    }

    fn store(&mut self, loc: usize, value: usize) {
        let bytes = self.values.get(value).map_or(&[][..], Vec::as_slice);
        let done = self.place(loc).and_then(|p| p.write(bytes));
        self.lost |= done.is_none();
        if loc >= SLOTS
            && let Some(arrival) = self.next_arrival()
        {
            self.arrived.push(arrival);
        }
    }

    /// The next write of the other node's memory: whom to tell. Atomic operations before it that have not said that they
    /// write have found another value than the expected one.
    fn next_arrival(&mut self) -> Option<Arrival> {
        while let Some(coming) = self.coming.pop_front() {
            match coming {
                Coming::Put(arrival) => return arrival,
                Coming::Update { writes: true } => return None,
                Coming::Update { writes: false } => {}
            }
        }
        None
    }

    /// The first atomic operation that has not said so yet will write.
    fn will_write(&mut self) {
        let first = self.coming.iter_mut().find_map(|c| match c {
            Coming::Update { writes } if !*writes => Some(writes),
            _ => None,
        });
        if let Some(writes) = first {
            *writes = true;
        }
    }
}

impl Memory for Window {
    fn load(&self, var: &str, loc: usize) -> Word {
        let mut i = self.inside.borrow_mut();
        if var == BUSY {
            return Word::from(i.place(loc).is_some_and(|p| self.busy.holds(p)));
        }
        if i.prepared.is_some() {
            i.values.push(vec![]);
            let value = i.values.len() - 1;
            i.prepared.iter_mut().for_each(|p| p.push(Access::Load { loc, value }));
            return value as Word;
        }
        let bytes = i.load(loc);
        i.push(bytes)
    }

    fn store(&self, var: &str, loc: usize, value: Word) {
        let mut i = self.inside.borrow_mut();
        if var == BUSY {
            if let Some(place) = i.place(loc) {
                self.busy.set(place, value != 0);
            }
            if value != 0 {
                i.will_write();
            }
            return;
        }
        let value = value as usize;
        match &mut i.prepared {
            Some(prepared) => prepared.push(Access::Store { loc, value }),
            None => i.store(loc, value),
        }
    }

    /// Numbers of atomic operations are of 64 bits and wrap around, as InfiniBand has it.
    fn call(&self, function: &str, args: &[Word]) -> Option<Word> {
        if function != SUM {
            return None;
        }
        let mut i = self.inside.borrow_mut();
        let number = |w: &Word| Some(u64::from_ne_bytes(i.values.get(*w as usize)?.get(..8)?.try_into().ok()?));
        let sum = number(args.first()?)?.wrapping_add(number(args.get(1)?)?);
        Some(i.push(sum.to_ne_bytes().to_vec()))
    }
}
