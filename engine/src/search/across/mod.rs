//! One search by several processes, of one machine or of many: a dataflow in which states go to the process that their hash names.
//!
//! Each process keeps the states that are its own, compressed as in [`crate::search::sweep`], and expands them. What follows is sent to its
//! owner, in blocks, as bytes that mean the same in every process ([`Portable`]). The processes go level by level: the epochs of the
//! dataflow are, in turn, the states of a level, and then what each process found in it, which all are told. So each knows when the
//! search is over, and each has the whole result. The dataflow engine is timely (McSherry, Isaacs, Isard, Murray, "Naiad: a timely
//! dataflow system", SOSP 2013), which says when nothing of an epoch is under way any more.
//!
//! The result of a full search is that of [`crate::search::sweep`], but for the number of pairs. A reduced one cannot ask at once whether a state
//! was reached before, which may be another's: it counts every state as such, and so expands some states in full that a sweep does
//! not. Its outcomes are the same for any number of processes, and so are its numbers.
//!
//! A search of a system with states from which no end can be reached needs the transitions of all: it is not made here. Nor
//! are states put on disk.

mod block;
mod line;
mod peers;

pub use peers::{Apart, Peers};

use crate::search::follow::follow;
use crate::search::pairs::PAIR_BYTES;
use crate::search::store::Store;
use crate::search::tree::Tree;
use crate::search::visited::{Reached, STATE_BYTES};
use crate::search::{Bound, Bounds, Shared, Swept, Target, Worker};
use block::Block;
use line::Ends;
use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::rc::Rc;
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::dataflow::operators::{Exchange, Input, Inspect, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};

/// After so many states of a process it asks which words stand together.
const MANY: usize = 10_000;
/// A block is sent when it has so many bytes.
const BLOCK: usize = 1 << 16;
/// States that are expanded before it is seen what has arrived.
const CHUNK: usize = 64;
/// How long a process sleeps that waits for others, before it looks whether they are still there.
const NAP: Duration = Duration::from_millis(50);
/// How long a process stays when another has ended.
const LAST: Duration = Duration::from_millis(500);

/// A system whose states can be sent to another process.
pub trait Portable: Shared {
    /// Adds a state to bytes, which mean the same in every process that has the same system.
    fn pack(&self, state: &[u32], into: &mut Vec<u8>);

    /// The state of such bytes; none if they are not those of one.
    fn unpack(&self, bytes: &[u8]) -> Option<Vec<u32>>;

    /// Why the result of a reduced search may lack something, as far as this process has found out.
    fn doubt(&self) -> Option<String> {
        None
    }
}

/// What processes found together: each has the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Together<O> {
    /// What a sweep finds.
    pub swept: Swept<O>,
    /// Whether what was found is worth nothing ([`Shared::is_refuted`]), as some process found out.
    pub refuted: bool,
    /// What some process doubts ([`Portable::doubt`]).
    pub doubt: Option<String>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failure<F> {
    /// The system's own fault, the same in every process.
    Fault(F),
    /// The processes are not together any more. Threads that served connections are left behind: the process should end.
    Apart(Apart),
}

impl<F> From<Apart> for Failure<F> {
    fn from(apart: Apart) -> Failure<F> {
        Failure::Apart(apart)
    }
}

/// Reaches every state within the bounds, together with the processes that call this for the same system: `bytes` is the most memory of
/// each, `states` the most of all.
///
/// # Errors
/// One of the system's own; a process that is missing, is gone, or searches something else.
///
/// # Panics
/// If the system wants to know what goes on for ever ([`Shared::forever`]).
pub fn across<S>(system: &S, bounds: Bounds, peers: &Peers) -> Result<Together<S::Outcome>, Failure<S::Fault>>
where
    S: Portable,
    S::Outcome: Serialize + DeserializeOwned,
{
    assert!(system.forever().is_none(), "what goes on for ever is found by one process");
    let ends = Ends::new();
    let lines = peers.meet(&ends)?;
    let hooks = Hooks::default();
    let within = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
    let (mut builders, guard) =
        initialize_networking_from_sockets(within, lines, peers.own(), 1, hooks).map_err(Apart::Failed)?;
    let builder = builders.pop().expect("one for the one thread");
    let mut net = Net::new(Allocator::Tcp(builder.build()));
    let found = Search::new(system, bounds, peers, &ends).run(&mut net);
    if let Err(Failure::Apart(_)) = &found {
        // Threads wait for those who are gone: nothing here can be taken down in order.
        std::mem::forget((net, guard));
        return found;
    }
    ends.close();
    net.close();
    drop(guard);
    found
}

/// The dataflow: blocks of bytes, each to the process that it names.
struct Net {
    worker: timely::worker::Worker,
    input: InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Block>>>,
    probe: ProbeHandle<u64>,
    /// What has arrived.
    arrived: Rc<RefCell<Vec<Vec<u8>>>>,
}

impl Net {
    fn new(allocator: Allocator) -> Net {
        let mut worker = timely::worker::Worker::new(WorkerConfig::default(), allocator, None);
        let (mut input, probe) = (InputHandle::new(), ProbeHandle::new());
        let arrived: Rc<RefCell<Vec<Vec<u8>>>> = Rc::default();
        let into = Rc::clone(&arrived);
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .container::<Vec<_>>()
                .exchange(|block: &Block| block.to)
                .inspect(move |block| into.borrow_mut().push(block.bytes.clone()))
                .probe_with(&probe);
        });
        Net { worker, input, probe, arrived }
    }

    /// Ends the dataflow when all processes have.
    fn close(self) {
        let Net { mut worker, input, .. } = self;
        drop(input);
        while worker.has_dataflows() {
            worker.step_or_park(Some(NAP));
        }
    }
}

/// What a process tells all others of a level.
#[derive(Serialize, Deserialize)]
struct Tally<O> {
    fresh: usize,
    transitions: usize,
    pairs: usize,
    cut: bool,
    /// Whether it had no room for more: the level is not complete.
    is_full: bool,
    /// Whether it has no room for the next level.
    will_be_full: bool,
    refuted: bool,
    doubt: Option<String>,
    /// A state of which a transition cannot be computed.
    fault: Option<Vec<u8>>,
    outcomes: Vec<O>,
}

/// One process's part of a search.
struct Search<'s, S: Shared> {
    system: &'s S,
    bounds: Bounds,
    peers: &'s Peers,
    ends: &'s Ends,
    store: Store,
    /// Whether the trees have the shape that they will keep.
    is_shaped: bool,
    worker: Box<dyn Worker<S::Outcome, S::Fault> + 's>,
    part: Part<'s, S>,
    out: Swept<S::Outcome>,
}

/// What is found in a level, as it is found.
struct Part<'s, S: Shared> {
    system: &'s S,
    own: usize,
    number: usize,
    level: usize,
    /// At the state that is expanded.
    from: Tree,
    /// At the state that arrived last.
    last: Tree,
    next: Vec<u64>,
    /// By process: states that it is to be sent.
    blocks: Vec<Vec<u8>>,
    /// Blocks that are large enough.
    ready: Vec<Block>,
    packed: Vec<u8>,
    outcomes: BTreeSet<S::Outcome>,
    transitions: usize,
    cut: bool,
}

/// The process that a state belongs to.
fn owner(packed: &[u8], number: usize) -> usize {
    let mut h = FxHasher::default();
    h.write(packed);
    let x = h.finish();
    let mixed = (x ^ (x >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * number as u128) >> 64) as usize
}

impl<S: Portable> Part<'_, S> {
    /// A state follows the one that is expanded.
    fn follow(&mut self, words: &[u32], store: &Store) {
        self.packed.clear();
        self.system.pack(words, &mut self.packed);
        let owner = owner(&self.packed, self.number);
        if owner == self.own {
            let key = self.from.key(words);
            self.enter(key, store);
            return;
        }
        let block = &mut self.blocks[owner];
        if block.is_empty() {
            block.push(STATES);
        }
        block.extend((self.packed.len() as u32).to_le_bytes());
        block.extend_from_slice(&self.packed);
        if block.len() >= BLOCK {
            self.ready.push(Block { to: owner as u64, bytes: std::mem::take(block) });
        }
    }

    fn enter(&mut self, key: u64, store: &Store) {
        if store.visited.enter(key, self.level + 1) == Reached::Now {
            self.next.push(key);
        }
    }

    /// Enters the states of a block that has arrived.
    fn arrive(&mut self, mut block: &[u8], store: &Store) -> Option<()> {
        while !block.is_empty() {
            let (length, rest) = block.split_first_chunk::<4>()?;
            let (packed, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            let words = self.system.unpack(packed)?;
            let key = self.last.key(&words);
            self.last.load(key);
            self.enter(key, store);
            block = rest;
        }
        Some(())
    }
}

/// What a block of states begins with, and one with a tally.
const STATES: u8 = 0;
const TALLY: u8 = 1;

impl<'s, S> Search<'s, S>
where
    S: Portable,
    S::Outcome: Serialize + DeserializeOwned,
{
    fn new(system: &'s S, bounds: Bounds, peers: &'s Peers, ends: &'s Ends) -> Self {
        let initial = system.initial();
        let store = Store::new(initial.len());
        let (from, last) = (Tree::new(&store.forest), Tree::new(&store.forest));
        let number = peers.number();
        let part = Part {
            system,
            own: peers.own(),
            number,
            level: 0,
            from,
            last,
            next: vec![],
            blocks: vec![vec![]; number],
            ready: vec![],
            packed: vec![],
            outcomes: BTreeSet::new(),
            transitions: 0,
            cut: false,
        };
        let out = Swept {
            outcomes: BTreeMap::new(),
            states: 1,
            transitions: 0,
            widest: 1,
            levels: 0,
            pairs: 0,
            bounds: vec![],
        };
        let is_shaped = initial.len() == 1 || !system.may_sample();
        Search { system, bounds, peers, ends, store, is_shaped, worker: system.worker(), part, out }
    }

    fn run(mut self, net: &mut Net) -> Result<Together<S::Outcome>, Failure<S::Fault>> {
        let initial = self.system.initial();
        let key = self.part.last.start(&initial);
        self.part.from.start(&initial);
        let mut packed = vec![];
        self.system.pack(&initial, &mut packed);
        let mut waiting = vec![];
        if owner(&packed, self.part.number) == self.part.own {
            self.store.visited.enter(key, 0);
            waiting.push(key);
        }
        let (mut refuted, mut doubt) = (false, None);
        loop {
            let (is_full, fault) = self.expand(net, &waiting)?;
            waiting = std::mem::take(&mut self.part.next);
            let tallies = self.exchange(net, waiting.len(), is_full, fault)?;
            if let Some(state) = tallies.iter().filter_map(|t| t.fault.as_ref()).min() {
                return Err(self.fault(state));
            }
            let fresh: usize = tallies.iter().map(|t| t.fresh).sum();
            if self.out.states + fresh > self.bounds.states {
                // As another search counts: with the one that was too many.
                self.out.states = self.bounds.states.saturating_add(1);
                self.out.bounds.push(Bound::States(self.bounds.states));
                break;
            }
            self.out.states += fresh;
            if tallies.iter().any(|t| t.is_full) {
                self.out.bounds.push(Bound::Bytes(self.bounds.bytes));
                break;
            }
            let will_be_full = tallies.iter().any(|t| t.will_be_full);
            self.out.pairs = tallies.iter().map(|t| t.pairs).sum();
            for tally in tallies {
                self.out.transitions += tally.transitions;
                if tally.cut && !self.out.bounds.contains(&Bound::Loops) {
                    self.out.bounds.push(Bound::Loops);
                }
                refuted |= tally.refuted;
                doubt = doubt.into_iter().chain(tally.doubt).min();
                for outcome in tally.outcomes {
                    self.out.outcomes.entry(outcome).or_insert(self.out.levels);
                }
            }
            self.out.levels += 1;
            self.out.widest = self.out.widest.max(fresh);
            if will_be_full {
                self.out.bounds.push(Bound::Bytes(self.bounds.bytes));
            }
            if fresh == 0 || will_be_full || refuted {
                break;
            }
            self.part.level += 1;
            if !self.is_shaped && self.store.visited.len() > MANY {
                self.is_shaped = true;
                waiting = self.shape(waiting);
            }
        }
        Ok(Together { swept: self.out, refuted, doubt })
    }

    /// Gives the trees the shape that fits the states of this system; these states by their new keys.
    fn shape(&mut self, mut waiting: Vec<u64>) -> Vec<u64> {
        let part = &mut self.part;
        let shaped = self.store.shaped(self.system, self.bounds.bytes, |rename| {
            // Some process may be further than this one: what it has sent waits behind the others.
            waiting.iter_mut().chain(&mut part.next).for_each(|key| *key = rename(*key));
        });
        if let Some(store) = shaped {
            let initial = self.system.initial();
            for tree in [&mut part.from, &mut part.last] {
                *tree = Tree::new(&store.forest);
                tree.start(&initial);
            }
            self.store = store;
        }
        waiting
    }

    /// The fault in the transitions of a state, which some process has found.
    fn fault(&mut self, packed: &[u8]) -> Failure<S::Fault> {
        let Some(state) = self.system.unpack(packed) else { return Apart::Garbled.into() };
        let again = follow(self.system, &mut *self.worker, &state, |_, _| false);
        again.map_or_else(Failure::Fault, |_| Apart::Garbled.into())
    }

    /// Bytes of memory that are left.
    fn has_room(&self) -> bool {
        let kept = self.store.forest.pairs.len() * PAIR_BYTES + self.system.bytes();
        let states = self.store.visited.len() * STATE_BYTES + self.part.next.len() * 8;
        kept + states < self.bounds.bytes
    }

    /// Expands states, sends what follows, and enters what arrives, until no state of the level is under way. Says whether there was no
    /// room for all, and what could not be computed.
    fn expand(&mut self, net: &mut Net, keys: &[u64]) -> Result<(bool, Option<Vec<u8>>), Apart> {
        let mut is_full = false;
        let mut fault = None;
        for chunk in keys.chunks(CHUNK) {
            for key in chunk {
                if self.state(*key).is_err() {
                    let mut packed = vec![];
                    self.part.from.load(*key);
                    self.system.pack(self.part.from.words(), &mut packed);
                    fault = Some(packed);
                    break;
                }
            }
            self.pass(net, Some(Duration::ZERO))?;
            is_full = !self.has_room() || self.out.states + self.part.next.len() > self.bounds.states;
            if is_full || fault.is_some() {
                break;
            }
        }
        for (owner, block) in self.part.blocks.iter_mut().enumerate().filter(|(_, b)| !b.is_empty()) {
            self.part.ready.push(Block { to: owner as u64, bytes: std::mem::take(block) });
        }
        self.finish(net)?;
        Ok((is_full, fault))
    }

    /// Sends what is ready, and takes part in the dataflow until nothing of the epoch is under way.
    fn finish(&mut self, net: &mut Net) -> Result<(), Apart> {
        net.input.send_batch(&mut self.part.ready);
        let next = *net.input.time() + 1;
        net.input.advance_to(next);
        while net.probe.less_than(net.input.time()) {
            self.pass(net, Some(NAP))?;
        }
        Ok(())
    }

    /// Sends what is ready, takes a step in the dataflow, and enters what has arrived. Tallies are left where they are.
    fn pass(&mut self, net: &mut Net, wait: Option<Duration>) -> Result<(), Apart> {
        net.input.send_batch(&mut self.part.ready);
        net.worker.step_or_park(wait);
        if let Some(peer) = self.ends.gone() {
            // The others are to see that one end before they see this one end, and to name it.
            std::thread::sleep(LAST);
            return Err(self.peers.gone(peer));
        }
        let mut arrived = net.arrived.borrow_mut();
        let (states, others) = std::mem::take(&mut *arrived).into_iter().partition(|b| b.first() == Some(&STATES));
        *arrived = others;
        let states: Vec<Vec<u8>> = states;
        states.iter().try_for_each(|b| self.part.arrive(&b[1..], &self.store).ok_or(Apart::Garbled))
    }

    /// Follows the transitions of one state.
    fn state(&mut self, key: u64) -> Result<(), S::Fault> {
        let (system, store, part, worker) = (self.system, &self.store, &mut self.part, &mut *self.worker);
        part.from.load(key);
        let from = part.from.words().to_vec();
        let is_cut = system.is_cut(&from);
        part.cut |= is_cut;
        let followed = follow(system, worker, &from, |target, ahead| match target {
            Target::Outcome(o) => {
                part.outcomes.insert(o);
                ahead
            }
            Target::State(to) => {
                part.follow(to, store);
                ahead || system.is_final(&from, to)
            }
        })?;
        part.transitions += followed;
        if followed == 0 {
            match system.end(&from) {
                Some(o) => _ = part.outcomes.insert(o),
                None => part.cut = true,
            }
        }
        Ok(())
    }

    /// Tells all processes what this one found in the level, and hears what they did.
    fn exchange(
        &mut self,
        net: &mut Net,
        fresh: usize,
        is_full: bool,
        fault: Option<Vec<u8>>,
    ) -> Result<Vec<Tally<S::Outcome>>, Apart> {
        let part = &mut self.part;
        let tally = Tally {
            fresh,
            transitions: std::mem::take(&mut part.transitions),
            pairs: self.store.forest.pairs.len(),
            cut: std::mem::take(&mut part.cut),
            is_full,
            will_be_full: false,
            refuted: self.system.is_refuted(),
            doubt: self.system.doubt(),
            fault,
            outcomes: std::mem::take(&mut part.outcomes).into_iter().collect(),
        };
        let tally = Tally { will_be_full: fresh > 0 && !self.has_room(), ..tally };
        let mut block = vec![TALLY];
        block.extend(postcard::to_allocvec(&tally).expect("numbers and outcomes can be written"));
        self.part.ready.extend((0..self.part.number).map(|to| Block { to: to as u64, bytes: block.clone() }));
        self.finish(net)?;
        let arrived = std::mem::take(&mut *net.arrived.borrow_mut());
        let read = |b: Vec<u8>| postcard::from_bytes(&b[1..]).map_err(|_| Apart::Garbled);
        let tallies: Vec<Tally<S::Outcome>> = arrived.into_iter().map(read).collect::<Result<_, _>>()?;
        if tallies.len() == self.part.number { Ok(tallies) } else { Err(Apart::Garbled) }
    }
}
