//! The locations of one queue pair: which bytes of which process each stands for, and the values on their way.

use crate::adversary::{Adversary, Kind};
use crate::buffers;
use crate::interface::{BUSY, FAR, NEAR, RECEIVES, SHARED, SHARES, UD_RECEIVES, UD_STATE, keeps};
use crate::layout::{ERR, HEADER, RTS};
use crate::mapped::MappedWord;
use crate::place::Place;
use crate::receives::{ReceiveQueue, Taker};
use crate::rules::{PARTIES, Peer, SLOTS};
use crate::temper::Rng;
use litmpi_engine::external::Memory;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::types::Sort;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What a message carries beside its data, for which the rules have a number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Header {
    pub(crate) imm: Option<u64>,
    pub(crate) opcode: u64,
    pub(crate) solicited: bool,
    /// A key at the other end that is of no use once the message is received.
    pub(crate) invalidates: Option<u64>,
    /// The routing header of a datagram that has one.
    pub(crate) route: Option<Box<[u8; HEADER as usize]>>,
}

/// A queue pair: its region, its number there, and which one it was.
pub(crate) type Name = (usize, usize, u64);

/// The queue pair that a datagram goes to, if there is one.
pub(crate) type Party = Option<(Name, Link)>;

/// An end that messages go to: its state, and the receives there. Of a connected queue pair it is the other end; of one for
/// datagrams, the queue pair itself or another one.
pub(crate) struct Link {
    pub(crate) far: Rc<Cell<Word>>,
    pub(crate) receives: Rc<RefCell<ReceiveQueue>>,
    pub(crate) peer: Peer,
}

/// The locations that an atomic operation has read and not written yet: the state variable `busy` of the rules, of which
/// all queue pairs see the same. A location is a process and a range of its bytes.
#[derive(Clone, Default)]
pub(crate) struct Busy(Rc<RefCell<Vec<Place>>>);

/// What all windows share: the locations that are busy, and the choices of an adversary that moves data in parts.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) busy: Busy,
    pub(crate) tears: Option<Rc<RefCell<Rng>>>,
}

impl Shared {
    /// Of a fabric with these ways.
    pub(crate) fn new(adversary: &Adversary, rng: &mut Rng) -> Shared {
        let tears = adversary.has(Kind::Torn).then(|| Rc::new(RefCell::new(Rng(rng.next()))));
        Shared { busy: Busy::default(), tears }
    }
}

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

/// An access to memory that is prepared and not made yet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access {
    /// Of a location, to become this value.
    Load { loc: usize, value: usize },
    /// Of this value to a location.
    Store { loc: usize, value: usize },
}

/// Values of a queue pair that are kept at most before it is idle again, and bytes of them; the last request may bring more.
const VALUES: usize = 1 << 10;
const BYTES: usize = 1 << 26;

#[derive(Default)]
struct Inside {
    local: Vec<Place>,
    remote: Vec<Place>,
    values: Vec<Vec<u8>>,
    /// How many bytes these are.
    bytes: usize,
    headers: Vec<Header>,
    /// Queue pairs that datagrams go to: the threads of the rules from the second one on.
    parties: Vec<Party>,
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
    shared: Shared,
    /// The state of this end.
    near: Rc<Cell<Word>>,
    link: Option<Link>,
    /// Whether it hears that data could not be written at the other end.
    hears: bool,
}

impl Window {
    pub(crate) fn new(shared: &Shared, near: Rc<Cell<Word>>, hears: bool) -> Window {
        Window { inside: RefCell::default(), shared: shared.clone(), near, link: None, hears }
    }

    /// From now on, this is the other end.
    pub(crate) fn link(&mut self, link: Link) {
        self.link = Some(link);
    }

    /// The other end, if there is one.
    pub(crate) fn linked(&self) -> Option<&Link> {
        self.link.as_ref()
    }

    /// Where the other end is.
    pub(crate) fn peer(&self) -> Peer {
        self.link.as_ref().map_or(Peer::Other, |l| l.peer)
    }

    /// The state of this end.
    pub(crate) fn near(&self) -> Word {
        self.near.get()
    }

    /// To others, this end is in error.
    pub(crate) fn leave(&self) {
        self.near.set(ERR as Word);
    }

    /// Whether a request has room: both its sides may be on one node. What is on its way is kept until nothing is, so there may not be
    /// too much of it.
    pub(crate) fn has_room(&self) -> bool {
        let i = self.inside.borrow();
        let has_slots = i.local.len() + 1 < SLOTS && i.remote.len() < SLOTS && i.parties.len() < PARTIES;
        has_slots && i.values.len() < VALUES && i.bytes < BYTES
    }

    /// The number of the thread that stands for a queue pair that datagrams go to.
    pub(crate) fn party(&self, party: Party) -> Word {
        let mut i = self.inside.borrow_mut();
        let name = |p: &Party| p.as_ref().map(|(name, _)| *name);
        let at = i.parties.iter().position(|p| name(p) == name(&party)).unwrap_or_else(|| {
            i.parties.push(party);
            i.parties.len() - 1
        });
        at as Word + 1
    }

    /// What comes of an end that datagrams go to, by its thread: the first is this queue pair itself.
    fn with_party<T>(&self, thread: usize, what: impl FnOnce(&Link) -> T) -> Option<T> {
        match thread.checked_sub(1) {
            None => self.link.as_ref().filter(|l| l.peer == Peer::Any).map(what),
            Some(i) => self.inside.borrow().parties.get(i)?.as_ref().map(|(_, link)| what(link)),
        }
    }

    /// The queues that receives are taken from.
    pub(crate) fn queues(&self) -> Vec<Rc<RefCell<ReceiveQueue>>> {
        let inside = self.inside.borrow();
        let parties = inside.parties.iter().flatten().map(|(_, link)| link);
        self.link.iter().chain(parties).map(|l| Rc::clone(&l.receives)).collect()
    }

    /// A receive is over: the queue pair that it was of, if that is none that this one is linked with for good, and what the program
    /// calls it.
    pub(crate) fn release(&self, receive: Word) -> Option<(Option<Name>, u64)> {
        if let Some(id) = self.link.as_ref().and_then(|l| l.receives.borrow_mut().release(receive)) {
            return Some((None, id));
        }
        let inside = self.inside.borrow();
        let mut parties = inside.parties.iter().flatten();
        parties.find_map(|(name, link)| Some((Some(*name), link.receives.borrow_mut().release(receive)?)))
    }

    /// A datagram's routing header goes before its data, into the receive that the datagram has taken.
    pub(crate) fn write_route(&self, receive: Word, route: &[u8]) {
        self.queues().iter().for_each(|r| r.borrow().write_before(receive, route));
    }

    /// The location that stands for bytes of the asking process.
    pub(crate) fn local(&self, place: Place) -> Word {
        slot(&mut self.inside.borrow_mut().local, place)
    }

    /// The location that stands for bytes of the other process.
    pub(crate) fn remote(&self, place: Place) -> Word {
        match self.peer() {
            Peer::Same => self.local(place),
            Peer::Other | Peer::Any => SLOTS as Word + slot(&mut self.inside.borrow_mut().remote, place),
        }
    }

    /// A value that came with a request.
    pub(crate) fn value(&self, bytes: Vec<u8>) -> Word {
        self.inside.borrow_mut().push(bytes)
    }

    /// The number that stands for what a message carries.
    pub(crate) fn carries(&self, header: Header) -> Word {
        let mut i = self.inside.borrow_mut();
        i.headers.push(header);
        i.headers.len() as Word - 1
    }

    /// What the number stands for; one that no message has stands for nothing.
    pub(crate) fn carried(&self, number: Word) -> Option<Header> {
        self.inside.borrow().headers.get(number as usize).cloned()
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
        std::hint::black_box(self.with_place(loc, Place::read));
    }

    /// Makes an access that was prepared.
    pub(crate) fn make(&self, access: Access) {
        match access {
            Access::Load { loc, value } => {
                let bytes = self.read(loc);
                self.inside.borrow_mut().values[value] = bytes;
            }
            Access::Store { loc, value } => self.write(loc, value),
        }
    }

    /// Which value an access that was prepared stores, and how long it is; none if it is no store.
    pub(crate) fn stores(&self, access: Access) -> Option<(usize, usize)> {
        let Access::Store { value, .. } = access else { return None };
        Some((value, self.inside.borrow().values.get(value)?.len()))
    }

    /// The parts in which an access that was prepared may be made: each with where in the value it begins.
    pub(crate) fn parts(&self, access: Access, len: usize, rng: &mut Rng) -> Option<Vec<(usize, Place)>> {
        let (Access::Load { loc, .. } | Access::Store { loc, .. }) = access;
        self.with_place(loc, |place| place.parts(len as u64, rng))
    }

    /// Writes a part of a value, which begins there.
    pub(crate) fn write_part(&self, value: usize, at: usize, part: &Place) {
        let mut i = self.inside.borrow_mut();
        let end = usize::try_from(part.len()).map_or(usize::MAX, |len| at.saturating_add(len));
        let done = i.values.get(value).and_then(|bytes| bytes.get(at..end)).and_then(|bytes| part.write(bytes));
        i.lost |= done.is_none() && self.hears;
    }

    /// The word that an access that was prepared will be made to, if it is one.
    pub(crate) fn word(&self, access: Access) -> Option<MappedWord> {
        let (Access::Load { loc, .. } | Access::Store { loc, .. }) = access;
        self.with_place(loc, Place::word)
    }

    /// A value on its way, if it is as long as a word.
    pub(crate) fn held(&self, value: usize) -> Option<u64> {
        let i = self.inside.borrow();
        Some(u64::from_ne_bytes(i.values.get(value)?.as_slice().try_into().ok()?))
    }

    /// A prepared access has loaded a value.
    pub(crate) fn loaded(&self, value: usize, loaded: u64) {
        self.inside.borrow_mut().values[value] = loaded.to_ne_bytes().to_vec();
    }

    /// What comes of a location's place, if it has one: of this queue pair, or of a receive at the other end.
    fn with_place<T>(&self, loc: usize, what: impl FnOnce(&Place) -> Option<T>) -> Option<T> {
        if loc < 2 * SLOTS {
            return self.inside.borrow().place(loc).and_then(what);
        }
        let receives = self.queues().into_iter().find(|r| r.borrow().place(loc).is_some())?;
        receives.borrow().place(loc).and_then(what)
    }

    fn read(&self, loc: usize) -> Vec<u8> {
        let bytes = match &self.shared.tears {
            None => self.with_place(loc, Place::read),
            Some(rng) => self.with_place(loc, |p| p.read_in_parts(&mut rng.borrow_mut())),
        };
        self.inside.borrow_mut().lost |= bytes.is_none();
        bytes.unwrap_or_default()
    }

    fn write(&self, loc: usize, value: usize) {
        let bytes = self.inside.borrow_mut().values.get_mut(value).map(std::mem::take).unwrap_or_default();
        let done = match &self.shared.tears {
            None => self.with_place(loc, |p| p.write(&bytes)),
            Some(rng) => self.with_place(loc, |p| p.write_in_parts(&bytes, &mut rng.borrow_mut())),
        };
        // Who sends a datagram, or over an unreliable connection, does not hear that it cannot be received.
        let hears = self.hears && (loc < 2 * SLOTS || self.peer() != Peer::Any);
        let mut i = self.inside.borrow_mut();
        i.lost |= done.is_none() && hears;
        if let Some(value) = i.values.get_mut(value) {
            *value = bytes;
        }
    }

    /// Forgets everything; whether some memory could not be reached. For an idle queue pair.
    pub(crate) fn clear(&self) -> bool {
        let inside = std::mem::take(&mut *self.inside.borrow_mut());
        inside.values.into_iter().for_each(buffers::give);
        inside.lost
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
        let same = |v: &Vec<u8>| bytes.len() <= 8 && *v == bytes;
        let at = self.values.iter().position(same).unwrap_or_else(|| {
            self.bytes += bytes.len();
            self.values.push(bytes);
            self.values.len() - 1
        });
        at as Word
    }

    fn place(&self, loc: usize) -> Option<&Place> {
        if loc < SLOTS { self.local.get(loc) } else { self.remote.get(loc - SLOTS) }
    }
}

impl Memory for Window {
    fn keeps(&self, var: &str, _: &[Sort]) -> bool {
        keeps(var)
    }

    fn load(&self, var: &str, entry: usize) -> Word {
        let receives = || self.link.as_ref().map(|l| l.receives.borrow());
        match var {
            BUSY => return Word::from(self.with_place(entry, |p| Some(self.shared.busy.holds(p))).unwrap_or(false)),
            NEAR => return self.near.get(),
            FAR => return self.link.as_ref().map_or(RTS as Word, |l| l.far.get()),
            SHARES => return Word::from(receives().is_some_and(|r| r.taker == Taker::Shared)),
            RECEIVES | SHARED => {
                let taker = if var == SHARED { Taker::Shared } else { Taker::Own };
                return receives().filter(|r| r.taker == taker).map_or(EMPTY, |r| r.word());
            }
            UD_STATE if entry == 0 => return self.near.get(),
            // Nobody hears as little as a queue pair in error.
            UD_STATE => return self.with_party(entry, |l| l.far.get()).unwrap_or(ERR as Word),
            UD_RECEIVES if entry == 0 && u64::from(self.near.get()) == ERR => {
                return self.with_party(entry, |l| l.receives.borrow().left()).unwrap_or(EMPTY);
            }
            UD_RECEIVES => return self.with_party(entry, |l| l.receives.borrow().word()).unwrap_or(EMPTY),
            _ => {}
        }
        let mut i = self.inside.borrow_mut();
        if i.prepared.is_some() {
            i.values.push(vec![]);
            let value = i.values.len() - 1;
            i.prepared.iter_mut().for_each(|p| p.push(Access::Load { loc: entry, value }));
            return value as Word;
        }
        drop(i);
        let bytes = self.read(entry);
        self.inside.borrow_mut().push(bytes)
    }

    fn store(&self, var: &str, entry: usize, value: Word) {
        match (var, &self.link) {
            (BUSY, _) => {
                self.with_place(entry, |p| {
                    self.shared.busy.set(p, value != 0);
                    Some(())
                });
            }
            (NEAR, _) => self.near.set(value),
            // Rules change the state of the asking end only.
            (UD_STATE, _) => self.near.set(value),
            (UD_RECEIVES, _) => {
                self.with_party(entry, |l| l.receives.borrow().use_up(value));
            }
            (FAR, Some(link)) => link.far.set(value),
            (RECEIVES | SHARED, Some(link)) => link.receives.borrow().use_up(value),
            (FAR | RECEIVES | SHARED | SHARES, _) => {}
            _ => {
                let value = value as usize;
                let is_prepared =
                    self.inside.borrow_mut().prepared.as_mut().map(|p| p.push(Access::Store { loc: entry, value }));
                if is_prepared.is_none() {
                    self.write(entry, value);
                }
            }
        }
    }

    /// Numbers are the bytes of the processes, of 8 at most.
    fn sum(&self, a: Word, b: Word, bits: Word) -> Word {
        let mut i = self.inside.borrow_mut();
        let number = |w: Word| {
            let mut bytes = [0; 8];
            let of = i.values.get(w as usize).map_or(&[][..], Vec::as_slice);
            bytes.iter_mut().zip(of).for_each(|(to, from)| *to = *from);
            u64::from_ne_bytes(bytes)
        };
        let sum = number(a).wrapping_add(number(b)) & (u64::MAX >> 64u32.saturating_sub(bits.clamp(1, 64)));
        i.push(sum.to_ne_bytes().to_vec())
    }
}
