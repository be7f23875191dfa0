//! The engine: all queue pairs of all programs, one step at a time.
//!
//! A step is one instance of one rule on one queue pair. Of the steps that are ready and not held back, any is next, by
//! the seed. Memory stays in the programs' own processes; the engine has none of its own.

use crate::datagram;
use crate::direct::Direction;
use crate::layout::*;
use crate::place::Place;
use crate::queue::{Asked, Holding, Local, Queue};
use crate::region::{Region, is_alive};
use crate::request::{Receives, Request, cq_of, place, qp_at, qpn};
use crate::rules::{Rules, is_fenced, is_inline};
use crate::tally::Tally;
use crate::temper::{Rng, Scheduler};
use crate::window::{Arrival, Busy};
use litmpi_spec::diag::Report;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

struct Context {
    region: Rc<Region>,
    /// Queue pairs that were made when it was last looked at.
    generation: u64,
    open: bool,
}

/// The emulated device.
pub(crate) struct Engine {
    rules: Rules,
    folder: PathBuf,
    scheduler: Scheduler,
    longest: Duration,
    rng: Rng,
    contexts: Vec<Context>,
    queues: Vec<Queue>,
    busy: Busy,
    trace: Option<Box<dyn Write>>,
    direction: Option<Direction>,
    /// Steps taken, by rule.
    pub(crate) fired: Vec<u64>,
    /// Operations asked for.
    pub(crate) tally: Tally,
    /// Waiting is sleeping, never yielding.
    pub(crate) sleeps: bool,
}

/// A completion as the program sees it.
#[derive(Default)]
pub(crate) struct Completion {
    pub(crate) id: u64,
    pub(crate) status: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) imm: u64,
    pub(crate) flags: u64,
    pub(crate) qpn: u64,
    /// Of a datagram: the queue pair that it came from.
    pub(crate) source: u64,
    pub(crate) solicited: bool,
}

/// What became of a request at the head of a ring.
pub(crate) enum Taken {
    Yes,
    Later,
    Failed(u64),
}

impl Engine {
    pub(crate) fn new(
        rules: Rules,
        folder: PathBuf,
        (scheduler, longest, seed): (Scheduler, Duration, u64),
        trace: Option<Box<dyn Write>>,
        direction: Option<Direction>,
    ) -> Engine {
        let fired = vec![0; rules.count()];
        Engine {
            rules,
            folder,
            scheduler,
            longest,
            rng: Rng(seed),
            contexts: vec![],
            queues: vec![],
            busy: Busy::default(),
            trace,
            direction,
            fired,
            tally: Tally::new(None),
            sleeps: false,
        }
    }

    /// Serves programs until `over` says so; it is asked every few milliseconds.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(crate) fn serve(&mut self, mut over: impl FnMut() -> bool) -> Result<(), Report> {
        let mut looked = Instant::now();
        let mut busy = Instant::now();
        let mut steps = vec![];
        self.find_contexts();
        loop {
            let now = Instant::now();
            if now - looked > Duration::from_millis(2) {
                looked = now;
                self.find_contexts();
                self.tally.tell_now_and_then(now);
                if over() {
                    return Ok(());
                }
            }
            self.find_queues();
            let mut did = self.take_requests()?;
            if let Some(direction) = &mut self.direction {
                did |= direction.follow(now) || direction.is_active();
                for (score, items, done) in direction.ended() {
                    if let Some(trace) = &mut self.trace {
                        let _ = writeln!(trace, "score {score}: {done} of {items} items");
                    }
                }
            }
            did |= self.race()?;
            let next = self.choose(now, &mut steps);
            if !steps.is_empty() {
                let (queue, step) = steps[self.rng.below(steps.len())];
                self.step(queue, step)?;
                did = true;
            }
            if did {
                busy = now;
            } else if self.sleeps && now - busy < Duration::from_millis(50) {
                std::thread::sleep(Duration::from_micros(10));
            } else {
                rest(now, busy, next);
            }
        }
    }

    /// Everything that programs still have under way is done, as far as that goes.
    pub(crate) fn finish(&mut self) -> Result<(), Report> {
        for q in 0..self.queues.len() {
            self.queues[q].detached = true;
            let mut steps = vec![];
            while !self.queues[q].is_idle(&self.rules) {
                steps.clear();
                self.queues[q].released(Instant::now(), &mut steps);
                let Some(step) = steps.first() else { break };
                self.step(q, *step)?;
            }
        }
        Ok(())
    }

    /// Whether a program with an open context lives.
    pub(crate) fn in_use(&self) -> bool {
        self.contexts.iter().any(|c| c.open && is_alive(c.region.pid()))
    }

    fn find_contexts(&mut self) {
        for c in &mut self.contexts {
            c.open = c.open && c.region.get(CLOSED) == 0;
        }
        while self.contexts.len() < REGIONS {
            let Ok(region) = Region::open(&self.folder.join(self.contexts.len().to_string())) else { return };
            self.contexts.push(Context { region: Rc::new(region), generation: 0, open: true });
        }
    }

    fn find_queues(&mut self) {
        for (number, context) in self.contexts.iter_mut().enumerate() {
            let generation = context.region.get(GENERATION);
            if generation == context.generation {
                continue;
            }
            context.generation = generation;
            for index in 0..QP_COUNT {
                let alive = context.region.get(qp_at(index) + QP_ALIVE);
                let same = |q: &Queue| q.region == number && q.index == index && q.generation == alive;
                if alive != 0 && !self.queues.iter().any(same) {
                    self.queues.push(Queue::new(number, index, alive, &self.rules, &self.busy));
                }
            }
        }
        let rules = &self.rules;
        let contexts = &self.contexts;
        for q in self.queues.iter_mut().filter(|q| !q.detached) {
            q.detached = contexts[q.region].region.get(qp_at(q.index) + QP_ALIVE) != q.generation;
        }
        self.queues.retain(|q| !q.detached || !q.is_idle(rules));
    }

    /// Takes what was posted; whether there was anything.
    fn take_requests(&mut self) -> Result<bool, Report> {
        let mut any = false;
        for q in 0..self.queues.len() {
            if self.queues[q].detached {
                continue;
            }
            let region = Rc::clone(&self.contexts[self.queues[q].region].region);
            let at = qp_at(self.queues[q].index);
            self.queues[q].urgent |= region.get(at + QP_URGENT) != 0;
            self.queues[q].blocked = false;
            while region.get(at + QP_POSTED) > self.queues[q].taken && self.queues[q].has_room() {
                match self.take(q, &region, at)? {
                    Taken::Later => {
                        self.queues[q].blocked = true;
                        break;
                    }
                    Taken::Failed(status) => {
                        if !self.queues[q].is_idle(&self.rules) {
                            break;
                        }
                        self.fail(q, &region, at, status);
                    }
                    Taken::Yes => {}
                }
                any = true;
                self.queues[q].taken += 1;
                region.set(at + QP_TAKEN, self.queues[q].taken);
            }
            self.settle(q);
        }
        Ok(any)
    }

    /// An idle queue pair says that all is done.
    fn settle(&mut self, q: usize) {
        if !self.queues[q].is_idle(&self.rules) {
            return;
        }
        let (number, index, taken) = (self.queues[q].region, self.queues[q].index, self.queues[q].taken);
        let (region, at) = (Rc::clone(&self.contexts[number].region), qp_at(index));
        if region.get(at + QP_DONE) == taken && region.get(at + QP_URGENT) == 0 {
            return;
        }
        let lost = self.queues[q].settle();
        if lost && !self.queues[q].detached {
            region.set(at + QP_STATE, ERR);
        }
        region.set(at + QP_URGENT, 0);
        region.set(at + QP_DONE, taken);
    }

    /// The queue pair at the other end.
    fn peer(&self, qpn: u64) -> Option<(usize, usize)> {
        let qpn = usize::try_from(qpn).ok()?;
        let (number, index) = ((qpn / QP_COUNT).checked_sub(1)?, qpn % QP_COUNT);
        let other = &self.contexts.get(number)?.region;
        let state = other.get(qp_at(index) + QP_STATE);
        (other.get(qp_at(index) + QP_ALIVE) != 0 && (state == RTR || state == RTS)).then_some((number, index))
    }

    fn take(&mut self, q: usize, region: &Rc<Region>, at: usize) -> Result<Taken, Report> {
        let (number, index, taken) = (self.queues[q].region, self.queues[q].index, self.queues[q].taken);
        let request = Request::read(region, index, taken);
        if region.get(at + QP_STATE) != RTS {
            return Ok(Taken::Failed(WR_FLUSH_ERR));
        }
        if region.get(at + QP_TYPE) == DATAGRAMS {
            let to = self.peer(request.addr);
            let to = to.map(|(number, index)| (&self.contexts[number].region, number, index));
            let taken = datagram::send((region, number, index), &request, to);
            self.tally.count(request.opcode, true);
            return Ok(taken);
        }
        let Some((peer, peer_index)) = self.peer(region.get(at + QP_DEST)) else { return Ok(Taken::Later) };
        let other = Rc::clone(&self.contexts[peer].region);
        self.queues[q].to_itself = peer == number;
        let local = if is_inline(request.opcode, request.flags) {
            Local::Value(request.inline.clone())
        } else {
            let access = if request.brings() { LOCAL_WRITE } else { 0 };
            match place(region, number, &request.sges, access) {
                Some(place) if request.is_atomic() && place.len() != 8 => return Ok(Taken::Failed(LOC_LEN_ERR)),
                Some(place) if request.opcode == WR_FETCH_ADD => Local::Added(place, request.compare_add),
                Some(place) if request.opcode == WR_CMP_SWP => Local::Swapped(place, request.compare_add, request.swap),
                Some(place) if request.opcode == WR_READ => Local::Into(place),
                Some(place) => Local::From(place),
                None => return Ok(Taken::Failed(LOC_PROT_ERR)),
            }
        };
        if request.is_atomic() && !request.addr.is_multiple_of(8) {
            return Ok(Taken::Failed(REM_INV_REQ_ERR));
        }
        let mut arrival = None;
        let mut received: Option<Place> = None;
        if request.takes_receive() {
            let Some(receive) = Receives::of(&other, peer_index).first(&other) else { return Ok(Taken::Later) };
            if request.opcode != WR_WRITE_IMM {
                match place(&other, peer, &receive.sges, LOCAL_WRITE) {
                    Some(p) if p.len() >= request.len() => received = Some(p),
                    _ => return Ok(Taken::Failed(LOC_LEN_ERR)),
                }
            }
            let with_imm = request.opcode != WR_SEND;
            arrival = Some(Arrival {
                region: peer,
                cq: cq_of(&other, peer_index, QP_RECV_CQ),
                id: receive.id,
                opcode: if request.opcode == WR_WRITE_IMM { WC_RECV_IMM } else { WC_RECV },
                len: request.len(),
                imm: request.imm,
                flags: if with_imm { WC_WITH_IMM } else { 0 },
                qpn: qpn(peer, peer_index),
                solicited: request.flags & SOLICITED != 0,
            });
        }
        let remote = match received {
            Some(place) => place,
            None => {
                let access = request.access();
                let range = (request.addr, request.len(), request.rkey);
                let may = other.get(qp_at(peer_index) + QP_ACCESS) & access == access;
                match place(&other, peer, &[range], access).filter(|_| may) {
                    Some(place) => place,
                    None => return Ok(Taken::Failed(REM_ACCESS_ERR)),
                }
            }
        };
        if arrival.is_some() {
            Receives::of(&other, peer_index).take(&other);
        }
        let signaled = request.flags & SIGNALED != 0;
        let asked = Asked { id: request.id, opcode: request.completion(), len: request.len(), signaled };
        let mut holding = Holding { scheduler: self.scheduler, longest: self.longest, rng: &mut self.rng };
        let fenced = is_fenced(request.flags);
        self.tally.count(request.opcode, false);
        self.queues[q].ask(&self.rules, (asked, fenced), (local, remote), arrival, &mut holding)?;
        Ok(Taken::Yes)
    }

    /// Ends a request of an idle queue pair with an error, which ends the queue pair.
    fn fail(&mut self, q: usize, region: &Region, at: usize, status: u64) {
        let request = Request::read(region, self.queues[q].index, self.queues[q].taken);
        let qpn = qpn(self.queues[q].region, self.queues[q].index);
        let (id, opcode) = (request.id, request.completion());
        let cq = cq_of(region, self.queues[q].index, QP_SEND_CQ);
        complete(region, cq, &Completion { id, status, opcode, qpn, ..Completion::default() });
        region.set(at + QP_STATE, ERR);
    }

    /// Lists the steps that may be taken now; when the first of the others may.
    fn choose(&self, now: Instant, steps: &mut Vec<(usize, usize)>) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        let mut of_one = vec![];
        steps.clear();
        for (i, q) in self.queues.iter().enumerate() {
            of_one.clear();
            let first = match self.direction.as_ref().and_then(|d| d.says(q.region, q.index)) {
                None => q.released(now, &mut of_one),
                Some(wanted) => {
                    q.told(&self.rules, wanted, &mut of_one);
                    None
                }
            };
            next = [next, first].into_iter().flatten().min();
            steps.extend(of_one.iter().filter(|s| !self.is_held(q, **s)).map(|s| (i, *s)));
        }
        next
    }

    /// Whether a completion has no room yet, or its turn is after a write.
    fn is_held(&self, q: &Queue, step: usize) -> bool {
        if !q.detached && q.is_behind_a_write(&self.rules, step) {
            return true;
        }
        if q.detached || !q.is_completion(&self.rules, step) || !q.next_asked().is_some_and(|a| a.signaled) {
            return false;
        }
        let region = &self.contexts[q.region].region;
        let cq = cq_of(region, q.index, QP_SEND_CQ).min(CQ_COUNT - 1);
        let at = CQS + cq * CQ_WORDS;
        region.get(at + CQ_PRODUCED).wrapping_sub(region.get(at + CQ_CONSUMED)) >= CQES as u64
    }

    /// Takes the steps that a score has while threads race, all at once: what they do to memory is prepared, since a store
    /// stays in a processor's buffer for far shorter than the engine needs for a step. Whether there were any.
    fn race(&mut self) -> Result<bool, Report> {
        let Some(direction) = self.direction.as_mut() else { return Ok(false) };
        let wanted = direction.burst();
        let (mut taken, mut accesses) = (vec![], vec![]);
        for (region, index, wanted) in wanted {
            let Some(q) = self.queues.iter().position(|q| (q.region, q.index) == (region, index)) else { break };
            let mut holding = Holding { scheduler: self.scheduler, longest: self.longest, rng: &mut self.rng };
            let Some((rule, of_step)) = self.queues[q].prepare(&self.rules, wanted, &mut holding)? else { break };
            accesses.extend(of_step.into_iter().map(|a| (q, a)));
            taken.push((q, rule));
        }
        if taken.is_empty() {
            return Ok(false);
        }
        // What this processor has just used it has at hand.
        let touch = || accesses.iter().for_each(|(q, access)| self.queues[*q].touch(*access));
        direction.start(&mut self.rng, touch);
        for (q, access) in accesses {
            self.queues[q].make(access);
        }
        for (q, rule) in taken {
            if let Some(direction) = self.direction.as_mut() {
                direction.took(Instant::now());
            }
            let arrived = self.queues[q].arrived();
            self.took(q, rule, None, arrived);
        }
        Ok(true)
    }

    fn step(&mut self, q: usize, step: usize) -> Result<(), Report> {
        let mut holding = Holding { scheduler: self.scheduler, longest: self.longest, rng: &mut self.rng };
        let busy = self.busy.count();
        let queue = &self.queues[q];
        let wanted = self.direction.as_ref().and_then(|d| d.says(queue.region, queue.index)).flatten();
        let directed = wanted.is_some_and(|w| queue.place(w) == Some(step));
        let done = self.queues[q].step(&self.rules, step, &mut holding)?;
        if self.busy.count() < busy {
            // Others may have waited for the location.
            for other in &mut self.queues {
                other.look_again(&self.rules, &mut holding)?;
            }
        }
        let Some(rule) = done.rule else { return Ok(()) };
        if let Some(direction) = self.direction.as_mut().filter(|_| directed) {
            direction.took(Instant::now());
        }
        self.took(q, rule, done.completed, done.arrived);
        Ok(())
    }

    /// Tells of a step that was taken.
    fn took(&mut self, q: usize, rule: usize, completed: Option<Asked>, arrived: Vec<Arrival>) {
        self.fired[rule] += 1;
        let (number, index) = (self.queues[q].region, self.queues[q].index);
        if let Some(trace) = &mut self.trace {
            // A trace that cannot be written is no reason to stop the device.
            let _ = writeln!(trace, "{number}.{index} {}", self.rules.name(rule));
        }
        if let Some(asked) = completed.filter(|a| a.signaled && !self.queues[q].detached) {
            let region = &self.contexts[number].region;
            let cq = cq_of(region, index, QP_SEND_CQ);
            let qpn = qpn(number, index);
            let Asked { id, opcode, len, .. } = asked;
            complete(region, cq, &Completion { id, opcode, len, qpn, ..Completion::default() });
        }
        for a in arrived {
            let Arrival { id, opcode, len, imm, flags, qpn, solicited, .. } = a;
            let done = Completion { id, opcode, len, imm, flags, qpn, solicited, ..Completion::default() };
            complete(&self.contexts[a.region].region, a.cq, &done);
        }
        if !self.queues[q].detached {
            self.settle(q);
        }
    }
}

/// Puts a completion into a queue.
pub(crate) fn complete(region: &Region, cq: usize, c: &Completion) {
    let at = CQS + cq.min(CQ_COUNT - 1) * CQ_WORDS;
    let produced = region.get(at + CQ_PRODUCED);
    let entry = at + CQ_RING + (produced % CQES as u64) as usize * CQE_WORDS;
    let words = [
        (CQE_ID, c.id),
        (CQE_STATUS, c.status),
        (CQE_OPCODE, c.opcode),
        (CQE_LEN, c.len),
        (CQE_IMM, c.imm),
        (CQE_FLAGS, c.flags),
        (CQE_QPN, c.qpn),
        (CQE_SOURCE, c.source),
    ];
    for (word, value) in words {
        region.set(entry + word, value);
    }
    region.set(at + CQ_PRODUCED, produced + 1);
    // The program asks for an event and then looks again.
    fence(Ordering::SeqCst);
    let armed = region.get(at + CQ_ARMED);
    if armed == ARMED as u64 || armed == ARMED_SOLICITED as u64 && (c.solicited || c.status != OK) {
        region.set(at + CQ_ARMED, 0);
        region.tell(region.get(at + CQ_CHANNEL), cq as u64);
    }
}

/// Leaves the processors to the programs: for a short while by yielding, then by sleeping.
fn rest(now: Instant, busy: Instant, next: Option<Instant>) {
    let idle = now - busy;
    let until = next.map(|n| n.saturating_duration_since(now));
    if idle < Duration::from_micros(150) || until.is_some_and(|u| u < Duration::from_micros(60)) {
        std::thread::yield_now();
    } else {
        let longest = if idle > Duration::from_millis(50) { 500 } else { 30 };
        std::thread::sleep(Duration::from_micros(longest).min(until.unwrap_or(Duration::MAX)));
    }
}
