//! One queue pair: the state that the rules run in, what was asked of it, and when it does what.

use crate::direct::Wanted;
use crate::place::Place;
use crate::rules::{Ask, Rules};
use crate::temper::{Rng, Scheduler, Temper};
use crate::window::{Access, Arrival, Busy, Window};
use litmpi_spec::diag::Report;
use litmpi_spec::external::Ready;
use litmpi_spec::heap::Word;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A request that has no completion yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) signaled: bool,
}

/// A step that may be taken from a time on.
struct Waiting {
    ready: Ready,
    from: Instant,
}

/// A queue pair of a region.
pub(crate) struct Queue {
    pub(crate) region: usize,
    pub(crate) index: usize,
    pub(crate) generation: u64,
    /// Requests taken from the ring.
    pub(crate) taken: u64,
    /// The program waits for everything to be done.
    pub(crate) urgent: bool,
    /// The program has destroyed it: what is under way goes on, and nobody is told.
    pub(crate) detached: bool,
    /// The receiver of its last request was not ready.
    pub(crate) blocked: bool,
    /// Its other end is of the same context: one device, on one bus.
    pub(crate) to_itself: bool,
    state: Vec<Word>,
    window: Window,
    asked: VecDeque<Asked>,
    waiting: Vec<Waiting>,
    temper: Temper,
}

/// What came of a step.
#[derive(Default)]
pub(crate) struct Done {
    /// None if its premises no longer hold.
    pub(crate) rule: Option<usize>,
    /// A completion to hand over.
    pub(crate) completed: Option<Asked>,
    /// Messages that have arrived at the other side.
    pub(crate) arrived: Vec<Arrival>,
}

/// How to hold steps back.
pub(crate) struct Holding<'a> {
    pub(crate) scheduler: Scheduler,
    pub(crate) longest: Duration,
    pub(crate) rng: &'a mut Rng,
}

impl Queue {
    pub(crate) fn new(region: usize, index: usize, generation: u64, rules: &Rules, busy: &Busy) -> Queue {
        Queue {
            region,
            index,
            generation,
            taken: 0,
            urgent: false,
            detached: false,
            blocked: false,
            to_itself: false,
            state: rules.idle().to_vec(),
            window: Window::new(busy),
            asked: VecDeque::new(),
            waiting: vec![],
            temper: Temper::default(),
        }
    }

    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self, rules: &Rules) -> bool {
        self.state == rules.idle()
    }

    /// Whether another request has room.
    pub(crate) fn has_room(&self) -> bool {
        self.window.has_room()
    }

    /// Asks for an operation: the local side, unless the data came along, and the remote side.
    pub(crate) fn ask(
        &mut self,
        rules: &Rules,
        (asked, fenced): (Asked, bool),
        (local, remote): (Local, Place),
        arrival: Option<Arrival>,
        holding: &mut Holding<'_>,
    ) -> Result<(), Report> {
        if self.is_idle(rules) {
            self.temper = Temper::draw(holding.scheduler, rules.count(), holding.longest, holding.rng);
        }
        if fenced {
            self.state = rules.fence(&self.state, &self.window)?;
        }
        let y = self.window.remote(remote);
        let ask = match local {
            Local::Into(place) => Ask::Get { x: self.window.local(place), y },
            Local::Added(place, v) => Ask::FetchAdd { x: self.window.local(place), y, v: self.window.number(v) },
            Local::Swapped(place, old, new) => Ask::CompareSwap {
                x: self.window.local(place),
                y,
                old: self.window.number(old),
                new: self.window.number(new),
            },
            Local::From(place) => Ask::Put { y, x: self.window.local(place) },
            Local::Value(bytes) => Ask::PutValue { y, v: self.window.value(bytes) },
        };
        match ask {
            Ask::Get { .. } => {}
            Ask::FetchAdd { .. } | Ask::CompareSwap { .. } => self.window.expect_update(),
            Ask::Put { .. } | Ask::PutValue { .. } => self.window.expect(arrival),
        }
        self.state = rules.ask(ask, &self.state, &self.window)?;
        self.asked.push_back(asked);
        self.look(rules, None, holding)
    }

    /// What may be done in the new state. A step that was already waiting goes on waiting; one by the rule that was just
    /// run waits anew, so that the programs may see what is between the two.
    fn look(&mut self, rules: &Rules, just: Option<usize>, holding: &mut Holding<'_>) -> Result<(), Report> {
        let mut before = std::mem::take(&mut self.waiting);
        before.retain(|w| Some(w.ready.rule) != just);
        let now = Instant::now();
        for ready in rules.ready(&self.state, &self.window)? {
            let known = before.iter().position(|w| w.ready.rule == ready.rule).map(|i| before.remove(i).from);
            let from = known.unwrap_or_else(|| now + self.temper.hold(ready.rule, holding.rng));
            self.waiting.push(Waiting { ready, from });
        }
        Ok(())
    }

    /// Steps that may be taken now, by place; when the next one may, if none.
    pub(crate) fn released(&self, now: Instant, out: &mut Vec<usize>) -> Option<Instant> {
        let all = self.urgent || self.detached;
        out.extend((0..self.waiting.len()).filter(|i| all || self.waiting[*i].from <= now));
        self.waiting.iter().map(|w| w.from).min()
    }

    /// Steps that may be taken while a score is followed, by place: those that are not of the queue pair itself, and the
    /// one that the score says.
    pub(crate) fn told(&self, rules: &Rules, wanted: Option<Wanted>, out: &mut Vec<usize>) {
        let free = |i: &usize| !rules.is_of_queue(self.waiting[*i].ready.rule);
        out.extend((0..self.waiting.len()).filter(free));
        out.extend(wanted.and_then(|w| self.place(w)));
    }

    /// The place of a step.
    pub(crate) fn place(&self, wanted: Wanted) -> Option<usize> {
        (0..self.waiting.len()).filter(|i| wanted.rules.contains(&self.waiting[*i].ready.rule)).nth(wanted.way)
    }

    /// Whether the step hands a completion over.
    pub(crate) fn is_completion(&self, rules: &Rules, step: usize) -> bool {
        rules.is_poll(&self.waiting[step].ready)
    }

    /// Whether the step hands a completion over that is behind a write on the bus: the papers have no operations on a node's
    /// own memory, and the device that writes it there then writes the completion.
    pub(crate) fn is_behind_a_write(&self, rules: &Rules, step: usize) -> bool {
        self.to_itself && self.is_completion(rules, step) && self.window.owes_a_write()
    }

    /// The request whose completion is next.
    pub(crate) fn next_asked(&self) -> Option<Asked> {
        self.asked.front().copied()
    }

    /// Takes a step.
    pub(crate) fn step(&mut self, rules: &Rules, step: usize, holding: &mut Holding<'_>) -> Result<Done, Report> {
        let ready = self.waiting.swap_remove(step).ready;
        let Some(ready) = rules.renew(ready, &self.state, &self.window)? else {
            self.look(rules, None, holding)?;
            return Ok(Done::default());
        };
        self.state = rules.fire(&ready, &self.state, &self.window)?;
        let completed = if rules.is_poll(&ready) { self.asked.pop_front() } else { None };
        let done = Done { rule: Some(ready.rule), completed, arrived: self.window.arrived() };
        self.look(rules, Some(ready.rule), holding)?;
        Ok(done)
    }

    /// Takes a step of its own but for its accesses to memory, which are to be made in this order, before anything else is done
    /// here; none if the step cannot be taken so.
    pub(crate) fn prepare(
        &mut self,
        rules: &Rules,
        wanted: Wanted,
        holding: &mut Holding<'_>,
    ) -> Result<Option<(usize, Vec<Access>)>, Report> {
        let Some(step) = self.place(wanted) else { return Ok(None) };
        let ready = self.waiting[step].ready.clone();
        if !self.window.prepare() {
            return Ok(None);
        }
        let renewed = rules.renew(ready, &self.state, &self.window);
        let fired =
            renewed.and_then(|r| r.map(|r| Ok((r.rule, rules.fire(&r, &self.state, &self.window)?))).transpose());
        let accesses = self.window.prepared();
        let Some((rule, state)) = fired? else { return Ok(None) };
        self.state = state;
        self.waiting.swap_remove(step);
        self.look(rules, Some(rule), holding)?;
        Ok(Some((rule, accesses)))
    }

    /// Reads what an access that was prepared will be made to, for nothing.
    pub(crate) fn touch(&self, access: Access) {
        self.window.touch(access);
    }

    /// Makes an access that was prepared.
    pub(crate) fn make(&self, access: Access) {
        self.window.make(access);
    }

    /// Messages that have arrived at the other side since the last step.
    pub(crate) fn arrived(&self) -> Vec<Arrival> {
        self.window.arrived()
    }

    /// Another queue pair has changed what rules of this one may wait for.
    pub(crate) fn look_again(&mut self, rules: &Rules, holding: &mut Holding<'_>) -> Result<(), Report> {
        self.look(rules, None, holding)
    }

    /// Makes the slots of an idle queue pair free; whether memory could not be reached meanwhile.
    pub(crate) fn settle(&mut self) -> bool {
        self.urgent = false;
        self.asked.clear();
        self.window.clear()
    }
}

/// The local side of an operation.
pub(crate) enum Local {
    /// A read goes there.
    Into(Place),
    /// A write comes from there.
    From(Place),
    /// A write's data.
    Value(Vec<u8>),
    /// What a remote number was goes there; this is added to it.
    Added(Place, u64),
    /// What a remote number was goes there; if it is the first of these, it becomes the second.
    Swapped(Place, u64, u64),
}
