//! The engine: all queue pairs of all programs, one step at a time.
//!
//! A step is one instance of one rule on one queue pair. Of the steps that are ready and not held back, any is next, by
//! the seed. Memory stays in the programs' own processes; the engine has none of its own.

use crate::adversary::{Fate, Kind, WireState};
use crate::burst::Burst;
use crate::completion::{Completion, Together};
use crate::datagram;
use crate::direct::Direction;
use crate::ends::Ends;
use crate::keys::{self, Change};
use crate::layout::*;
use crate::queue::{Asked, Holding, Part, Queue, Received, Want, Ways};
use crate::region::{Region, is_alive};
use crate::request::{Request, cq_of, qp_at, qpn, srq_at};
use crate::rules::{Peer, Rules, is_fenced};
use crate::tally::Tally;
use crate::temper::Rng;
use crate::wanted::{self, There};
use crate::window::{Header, Link, Name, Party, Shared};
use litmpi_spec::diag::Report;
use std::io::Write;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

mod follow;
mod patience;

/// Steps that are taken before it is looked what programs have posted meanwhile.
const AT_ONCE: usize = 4;

pub(crate) struct Context {
    pub(crate) region: Rc<Region>,
    /// Queue pairs that were made when it was last looked at.
    generation: u64,
    /// Its program uses it, and is there.
    pub(crate) open: bool,
}

/// The emulated device.
pub(crate) struct Engine {
    rules: Rules,
    folder: PathBuf,
    ways: Ways,
    rng: Rng,
    contexts: Vec<Context>,
    queues: Vec<Queue>,
    ends: Ends,
    /// How ends stood when they were last followed, as far as anything follows from it.
    stood: Vec<u64>,
    shared: Shared,
    wire: WireState,
    /// Completions that are told together.
    burst: Together,
    trace: Option<Box<dyn Write>>,
    direction: Option<Direction>,
    /// Windows that were bound.
    bindings: u64,
    /// Steps taken, by rule.
    pub(crate) fired: Vec<u64>,
    /// Operations asked for.
    pub(crate) tally: Tally,
    /// Waiting is sleeping, never yielding.
    pub(crate) sleeps: bool,
    /// Datagrams are lost, come twice and pass each other.
    pub(crate) is_lossy: bool,
}

impl Engine {
    pub(crate) fn new(
        rules: Rules,
        folder: PathBuf,
        (ways, seed): (Ways, u64),
        trace: Option<Box<dyn Write>>,
        direction: Option<Direction>,
    ) -> Engine {
        let fired = vec![0; rules.count()];
        let mut rng = Rng(seed);
        Engine {
            rules,
            folder,
            wire: WireState::new(&ways.adversary, &mut rng),
            shared: Shared::new(&ways.adversary, &mut rng),
            is_lossy: ways.adversary.has(Kind::Datagrams),
            ways,
            burst: Together::default(),
            rng,
            contexts: vec![],
            queues: vec![],
            ends: Ends::default(),
            stood: vec![],
            trace,
            direction,
            bindings: 0,
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
        let mut missed = Instant::now();
        let mut busy = Instant::now();
        let mut steps = vec![];
        self.find_contexts();
        loop {
            let now = Instant::now();
            if now - looked > Duration::from_millis(2) {
                looked = now;
                self.find_contexts();
                if now - missed > Duration::from_millis(20) {
                    missed = now;
                    self.miss_programs();
                }
                self.tally.again(self.ways.again.get());
                self.tally.tell_now_and_then(now);
                if over() {
                    return Ok(());
                }
            }
            self.follow_wire(now);
            self.find_queues();
            self.follow_ends_if_they_changed()?;
            let mut did = self.take_receives()?;
            did |= self.take_requests()?;
            let hands_over = self.hands_over();
            if let Some(direction) = self.direction.as_mut().filter(|_| !hands_over) {
                did |= direction.follow(now) || direction.is_active();
                for (score, items, done) in direction.ended() {
                    if let Some(trace) = &mut self.trace {
                        let _ = writeln!(trace, "score {score}: {done} of {items} items");
                    }
                }
            }
            did |= self.race()?;
            let mut next = None;
            for turn in 0..if self.direction.is_some() { 1 } else { AT_ONCE } {
                next = self.choose(if turn == 0 { now } else { Instant::now() }, &mut steps);
                if steps.is_empty() {
                    break;
                }
                let (queue, step) = steps[self.rng.below(steps.len())];
                self.step(queue, step)?;
                self.step_in_bursts(queue)?;
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
            self.queues[q].detach();
            let mut steps = vec![];
            while !self.queues[q].is_still() {
                steps.clear();
                self.queues[q].released(&self.rules, (Instant::now(), false), &mut steps);
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

    /// Programs that have ended, however that came, use their contexts no more.
    fn miss_programs(&mut self) {
        for c in self.contexts.iter_mut().filter(|c| c.open) {
            c.open = is_alive(c.region.pid());
        }
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
                    let near = self.ends.begin((number, index), alive);
                    let kind = (context.region.get(qp_at(index) + QP_TYPE), self.is_lossy);
                    self.queues.push(Queue::new((number, index, alive), &self.rules, &self.shared, near, kind));
                }
            }
        }
        let contexts = &self.contexts;
        for q in self.queues.iter_mut().filter(|q| !q.detached) {
            let context = &contexts[q.region];
            if !context.open || context.region.get(qp_at(q.index) + QP_ALIVE) != q.generation {
                q.detach();
            }
        }
        let ends = &mut self.ends;
        self.queues.retain(|q| {
            let stays = !q.detached || !q.is_still();
            if !stays && !q.is_stand_in {
                q.leave();
                ends.end((q.region, q.index), q.generation);
            }
            stays
        });
    }

    /// Lets a queue pair for datagrams take its receives.
    fn open(&mut self, q: usize, region: &Rc<Region>) {
        let name = self.queues[q].name();
        let Some(far) = self.ends.state((name.0, name.1), name.2) else { return };
        let receives = self.ends.receives(region, name, true);
        self.queues[q].link(Link { far, receives, peer: Peer::Any });
    }

    /// Connects a queue pair with the one that its program has named, unless it is.
    fn connect(&mut self, q: usize, region: &Region, at: usize) -> Result<(), Report> {
        let Some((number, index)) = self.peer(region.get(at + QP_DEST)) else { return Ok(()) };
        let other = Rc::clone(&self.contexts[number].region);
        let generation = other.get(qp_at(index) + QP_ALIVE);
        if self.queues[q].other == Some((number, index, generation))
            || self.queues[q].other.is_none() && !self.queues[q].is_still()
        {
            return Ok(());
        }
        let Some(far) = self.ends.state((number, index), generation) else { return Ok(()) };
        let receives = self.ends.receives(&other, (number, index, generation), false);
        let peer = if self.is_one_node(number, self.queues[q].region) { Peer::Same } else { Peer::Other };
        self.queues[q].other = Some((number, index, generation));
        let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
        let link = Link { far, receives, peer };
        self.queues[q].connect(&self.rules, link, &mut holding)
    }

    /// Whether two contexts are of one node: of one process, whose device does not tell its contexts apart, unless these play nodes.
    fn is_one_node(&self, a: usize, b: usize) -> bool {
        let [one, other] = [a, b].map(|n| &self.contexts[n].region);
        a == b || one.pid() == other.pid() && one.get(ALONE) == 0 && other.get(ALONE) == 0
    }

    /// Takes the receives that were posted; whether there were any.
    fn take_receives(&mut self) -> Result<bool, Report> {
        let mut any = false;
        self.ends.forget_queues();
        for receives in self.ends.queues().iter() {
            if !receives.borrow_mut().take(&self.rules)? {
                continue;
            }
            any = true;
            let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
            for q in self.queues.iter_mut().filter(|q| q.takes_from(receives)) {
                q.look_again(&self.rules, &mut holding)?;
            }
        }
        Ok(any)
    }

    /// Takes what was posted; whether there was anything.
    fn take_requests(&mut self) -> Result<bool, Report> {
        let mut any = false;
        for q in 0..self.queues.len() {
            let region = Rc::clone(&self.contexts[self.queues[q].region].region);
            let at = qp_at(self.queues[q].index);
            if self.queues[q].detached || region.get(at + QP_STATE) < RTS {
                continue;
            }
            self.queues[q].urgent |= region.get(at + QP_URGENT) != 0;
            while region.get(at + QP_POSTED) > self.queues[q].taken
                && self.queues[q].has_room()
                && !self.queues[q].is_drained()
            {
                if !self.take(q, &region)? {
                    break;
                }
                any = true;
                self.queues[q].taken += 1;
                region.set(at + QP_TAKEN, self.queues[q].taken);
            }
            self.settle(q);
        }
        Ok(any)
    }

    /// An idle queue pair says that all is done, and a drained one that all is that had begun.
    fn settle(&mut self, q: usize) {
        if !self.queues[q].is_idle() {
            if self.queues[q].is_drained() && self.queues[q].is_still() && self.queues[q].urgent {
                self.queues[q].urgent = false;
                self.contexts[self.queues[q].region].region.set(qp_at(self.queues[q].index) + QP_URGENT, 0);
            }
            return;
        }
        let (number, index, taken) = (self.queues[q].region, self.queues[q].index, self.queues[q].taken);
        let (region, at) = (Rc::clone(&self.contexts[number].region), qp_at(index));
        let is_between_copies = self.queues[q].group.is_some();
        if region.get(at + QP_DONE) == taken && region.get(at + QP_URGENT) == 0 && !is_between_copies {
            return;
        }
        // Memory of a process that has ended is no loss: what was written there was done before.
        let there = |(other, ..): (usize, usize, u64)| is_alive(self.contexts[other].region.pid());
        let mut lost = self.queues[q].settle() && !self.queues[q].detached;
        lost = lost && self.queues[q].other.is_none_or(there);
        if lost {
            region.break_queue(at);
        }
        region.set(at + QP_URGENT, 0);
        region.set(at + QP_DONE, taken);
    }

    /// The queue pair at the other end.
    fn peer(&self, qpn: u64) -> Option<(usize, usize)> {
        let qpn = usize::try_from(qpn).ok()?;
        let (number, index) = ((qpn / QP_COUNT).checked_sub(1)?, qpn % QP_COUNT);
        let other = &self.contexts.get(number).filter(|c| c.open)?.region;
        let state = other.get(qp_at(index) + QP_STATE);
        (other.get(qp_at(index) + QP_ALIVE) != 0 && state >= RTR).then_some((number, index))
    }

    /// A program may know of a context that the engine has not found yet.
    fn find_context_of(&mut self, qpn: u64) {
        if qpn / QP_COUNT as u64 > self.contexts.len() as u64 {
            self.find_contexts();
        }
    }

    /// Whether a datagram to a group, of which the next copy is to be sent, goes to others behind this one. To the rules it is a datagram for
    /// each queue pair that is attached when the first is sent.
    fn is_copy(&mut self, q: usize, request: &Request) -> bool {
        if self.queues[q].group.is_none() {
            self.find_contexts();
            self.queues[q].group = Some(self.members(request));
        }
        self.queues[q].group.as_ref().is_some_and(|left| left.len() > 1)
    }

    /// The numbers of the queue pairs that are attached to a request's group.
    fn members(&self, request: &Request) -> Vec<u64> {
        let mut members = vec![];
        for (number, context) in self.contexts.iter().enumerate().filter(|(_, c)| c.open) {
            for index in 0..QP_COUNT {
                let word = |i: usize| context.region.get(qp_at(index) + i);
                let is_in = |i: usize| [QP_GROUPS + 2 * i, QP_GROUPS + 2 * i + 1].map(word) == request.group;
                if word(QP_ALIVE) != 0 && word(QP_TYPE) == DATAGRAMS && (0..GROUPS).any(is_in) {
                    members.push(qpn(number, index));
                }
            }
        }
        members
    }

    /// The queue pair that a datagram goes to, or that there is none that would take it; none if the engine does not know yet.
    fn party(&mut self, q: usize, request: &Request) -> Option<Party> {
        let mut to = request.addr;
        if request.is_to_group() {
            let left = self.queues[q].group.as_ref()?;
            to = left.last().copied().unwrap_or(0);
        }
        self.find_context_of(to);
        let Some((number, index)) = self.peer(to) else { return Some(None) };
        let region = Rc::clone(&self.contexts[number].region);
        let word = |i: usize| region.get(qp_at(index) + i);
        if word(QP_TYPE) != DATAGRAMS || word(QP_QKEY) != request.rkey {
            return Some(None);
        }
        let name = (number, index, word(QP_ALIVE));
        let far = self.ends.state((number, index), name.2)?;
        let receives = self.ends.receives(&region, name, true);
        Some(Some((name, Link { far, receives, peer: Peer::Any })))
    }

    /// Takes the request at the head of a ring; whether it could be.
    fn take(&mut self, q: usize, region: &Rc<Region>) -> Result<bool, Report> {
        let (number, index, taken) = (self.queues[q].region, self.queues[q].index, self.queues[q].taken);
        let request = Request::read(region, index, taken);
        let (has_datagrams, is_unreliable) = (self.queues[q].has_datagrams, self.queues[q].is_unreliable);
        let other = self.queues[q].other;
        let mut is_copy = false;
        // One that its program has destroyed since the engine last looked hears this no more.
        if other.is_some_and(|name| self.is_just_gone(name)) {
            return Ok(false);
        }
        let wanted = match other {
            _ if has_datagrams => {
                if request.is_to_group() {
                    is_copy = self.is_copy(q, &request);
                }
                let Some(to) = self.party(q, &request).filter(|_| self.queues[q].is_linked()) else { return Ok(false) };
                let to = to.filter(|_| !self.wire.is_down());
                datagram::wanted((region, number, index), &request, to)
            }
            _ if self.queues[q].sends_nothing() => Want::Failure { status: WR_FLUSH_ERR, remote: false },
            _ if self.queues[q].changes_keys() || self.is_about_to_break(q) => return Ok(false),
            _ if is_unreliable && request.is_of_reliable() => Want::Failure { status: LOC_QP_OP_ERR, remote: false },
            // What is asked of a queue pair before it is connected would stay behind.
            None if self.is_on_its_way(q, region) => return Ok(false),
            _ if let Some(change) = wanted::change((region, number, index), &request) => change,
            // Nobody is there, or not yet: it is lost.
            None if is_unreliable => Want::Failure { status: OK, remote: true },
            None if self.is_given_up(q, region) => Want::Failure { status: RETRY_EXC_ERR, remote: false },
            None => return Ok(false),
            Some((peer, peer_index, _)) => {
                let other = Rc::clone(&self.contexts[peer].region);
                let there = There::of((&other, peer, peer_index));
                let srq = if self.queues[q].is_extended {
                    self.shared_queue(request.srqn, other.get(qp_at(peer_index) + QP_XRCD))
                } else {
                    None
                };
                match srq {
                    None if self.queues[q].is_extended => wanted::nowhere(),
                    None => wanted::wanted((region, number, index), &there, &request),
                    Some(srq) => {
                        if self.queues[q].srq != Some(srq) && !self.turn_to(q, srq) {
                            return Ok(false);
                        }
                        let of = Rc::clone(&self.contexts[srq.0].region);
                        wanted::wanted((region, number, index), &there.through(&of, srq), &request)
                    }
                }
            }
        };
        let mut fate = None;
        // What fails here has no need of a fabric to fail.
        let is_to_go = other.is_some() && !matches!(wanted, Want::Failure { .. } | Want::Change(_));
        if is_unreliable {
            self.queues[q].say_type(&self.rules)?;
            if is_to_go && (self.wire.is_down() || self.ways.adversary.loses(&mut self.rng)) {
                fate = Some(Fate::Lost);
            }
        } else if !has_datagrams {
            self.set_timers(q, region)?;
            if is_to_go && self.wire.is_out() {
                if !self.is_given_up(q, region) {
                    return Ok(false);
                }
                fate = Some(Fate::Fails(RETRY_EXC_ERR));
            } else if is_to_go {
                let is_message = matches!(wanted, Want::Message { .. });
                fate = self.ways.adversary.fate(is_message, self.queues[q].timers(), &mut self.rng);
            }
        }
        let signaled = request.flags & SIGNALED != 0;
        // One that cannot be sent fails once.
        is_copy &= matches!(wanted, Want::Datagram { .. });
        let part = if is_copy { Part::Copy } else { Part::Whole };
        let mut asked = Asked { id: request.id, opcode: request.completion(), len: request.len(), signaled, part };
        let mut fenced = is_fenced(request.flags);
        let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
        let wanted = match fate {
            // It is taken when that has come about.
            Some(Fate::Fatal) => return self.end_by_itself(q).map(|()| false),
            Some(Fate::Fails(status)) => Want::Failure { status, remote: false },
            Some(Fate::Lost) => Want::Failure { status: OK, remote: true },
            Some(Fate::Unheard) => {
                let deed = Asked { part: Part::Deed, ..asked };
                self.queues[q].ask(&self.rules, (deed, fenced), wanted, &mut holding)?;
                (asked.part, fenced) = (Part::Word, false);
                Want::Failure { status: RETRY_EXC_ERR, remote: false }
            }
            None => wanted,
        };
        self.queues[q].ask(&self.rules, (asked, fenced), wanted, &mut holding)?;
        if is_copy {
            self.queues[q].group.as_mut().and_then(Vec::pop);
            return Ok(false);
        }
        self.queues[q].group = None;
        self.tally.count(request.opcode, has_datagrams);
        Ok(true)
    }

    /// The shared queue of this number, if it is of the domain of extended connections.
    fn shared_queue(&mut self, srqn: u64, domain: u64) -> Option<(usize, usize)> {
        let srqn = usize::try_from(srqn).ok()?;
        let (number, srq) = ((srqn / SRQ_COUNT).checked_sub(1)?, srqn % SRQ_COUNT);
        if number >= self.contexts.len() {
            self.find_contexts();
        }
        let region = &self.contexts.get(number).filter(|c| c.open)?.region;
        let word = |i: usize| region.get(srq_at(srq) + i);
        (domain != 0 && word(SRQ_ALIVE) != 0 && word(SRQ_XRCD) == domain).then_some((number, srq))
    }

    /// Has an extended connection send to another shared queue; only when nothing is under way.
    fn turn_to(&mut self, q: usize, srq: (usize, usize)) -> bool {
        let Some(far) = self.queues[q].far().filter(|_| self.queues[q].is_idle()) else { return false };
        self.settle(q);
        let region = Rc::clone(&self.contexts[srq.0].region);
        let peer = if self.is_one_node(srq.0, self.queues[q].region) { Peer::Same } else { Peer::Other };
        let receives = self.ends.extended(&region, srq);
        self.queues[q].turn_to(srq, Link { far, receives, peer });
        true
    }

    /// Whether a queue pair has been destroyed, which the engine does not know yet.
    fn is_just_gone(&self, name: Name) -> bool {
        let (number, index, generation) = name;
        let is_gone = self.contexts[number].region.get(qp_at(index) + QP_ALIVE) != generation;
        is_gone && self.queues.iter().any(|q| q.name() == name && !q.detached)
    }

    /// Whether the other end is there by now, and will be connected.
    fn is_on_its_way(&mut self, q: usize, region: &Region) -> bool {
        let qpn = region.get(qp_at(self.queues[q].index) + QP_DEST);
        self.find_context_of(qpn);
        self.peer(qpn).is_some()
    }

    /// Keys change as a request has asked for.
    fn change_keys(&mut self, q: usize, change: Change) {
        let (number, index) = (self.queues[q].region, self.queues[q].index);
        self.bindings += 1;
        // Programs count registrations from 1.
        let generation = 1 << 63 | self.bindings;
        keys::change((&self.contexts[number].region, number), change, qpn(number, index), generation);
    }

    /// Lists the steps that may be taken now; when the first of the others may.
    fn choose(&self, now: Instant, steps: &mut Vec<(usize, usize)>) -> Option<Instant> {
        let mut next: Option<Instant> = None;
        let mut of_one = vec![];
        steps.clear();
        for (i, q) in self.queues.iter().enumerate() {
            of_one.clear();
            let first = match self.direction.as_ref().and_then(|d| d.says(q.region, q.index)) {
                None => q.released(&self.rules, (now, self.wire.is_down()), &mut of_one),
                Some(wanted) => {
                    q.told(&self.rules, wanted, &mut of_one);
                    None
                }
            };
            next = [next, first].into_iter().flatten().min();
            steps.extend(of_one.iter().map(|s| (i, *s)));
        }
        next
    }

    /// Whether a queue pair that is directed has datagrams or completions of them to hand over: a program that looks once looks then.
    fn hands_over(&self) -> bool {
        let Some(direction) = &self.direction else { return false };
        let directed = |q: &&Queue| q.has_datagrams && direction.says(q.region, q.index).is_some();
        self.queues.iter().filter(directed).any(|q| {
            let mut free = vec![];
            q.told(&self.rules, None, &mut free);
            !free.is_empty()
        })
    }

    /// Takes the steps that a score has while threads race, all at once: what they do to memory is prepared, since a store
    /// stays in a processor's buffer for far shorter than the engine needs for a step. Whether there were any.
    fn race(&mut self) -> Result<bool, Report> {
        let Some(direction) = self.direction.as_mut() else { return Ok(false) };
        let wanted = direction.burst();
        let (mut taken, mut accesses) = (vec![], vec![]);
        for (region, index, wanted) in wanted {
            let Some(q) = self.queues.iter().position(|q| (q.region, q.index) == (region, index)) else { break };
            let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
            let Some((rule, of_step)) = self.queues[q].prepare(&self.rules, wanted, &mut holding)? else { break };
            accesses.extend(of_step.into_iter().map(|a| (q, a)));
            taken.push((q, rule));
        }
        if taken.is_empty() {
            return Ok(false);
        }
        // What this processor has just used it has at hand.
        let touch = || accesses.iter().for_each(|(q, access)| self.queues[*q].window().touch(*access));
        let burst = Burst::of(&self.queues, &accesses);
        direction.start(&mut self.rng, touch);
        match burst {
            Some(mut burst) => {
                burst.make();
                burst.tell(&self.queues, &accesses);
            }
            None => accesses.into_iter().for_each(|(q, access)| self.queues[q].window().make(access)),
        }
        for (q, rule) in taken {
            if let Some(direction) = self.direction.as_mut() {
                direction.took(Instant::now());
            }
            self.took(q, rule, None, None);
        }
        Ok(true)
    }

    /// Where completions come in bursts, hands over all of a queue pair's that it keeps back no longer.
    fn step_in_bursts(&mut self, q: usize) -> Result<(), Report> {
        if !self.ways.adversary.has(Kind::Bursts) {
            return Ok(());
        }
        self.burst.is_going_on = true;
        while let Some(step) = self.queues[q].handed_over(&self.rules, Instant::now()) {
            self.step(q, step)?;
        }
        self.burst.is_going_on = false;
        self.burst.tell();
        Ok(())
    }

    fn step(&mut self, q: usize, step: usize) -> Result<(), Report> {
        let mut holding = Holding { ways: &self.ways, rng: &mut self.rng };
        let busy = self.shared.busy.count();
        let queue = &self.queues[q];
        let wanted = self.direction.as_ref().and_then(|d| d.says(queue.region, queue.index)).flatten();
        let directed = wanted.is_some_and(|w| queue.place(w) == Some(step));
        let done = self.queues[q].step(&self.rules, step, &mut holding)?;
        if self.shared.busy.count() < busy {
            // Others may have waited for the location.
            for other in &mut self.queues {
                other.look_again(&self.rules, &mut holding)?;
            }
        }
        let Some(rule) = done.rule else { return Ok(()) };
        if let Some(change) = done.change {
            self.change_keys(q, change);
        }
        if let Some(direction) = self.direction.as_mut().filter(|_| directed) {
            direction.took(Instant::now());
        }
        if done.completed.as_ref().is_some_and(|(_, status)| *status != OK) {
            // Who sees the completion finds the end in the error state.
            self.follow_ends()?;
        }
        self.took(q, rule, done.completed, done.received);
        Ok(())
    }

    /// Tells of a step that was taken.
    fn took(&mut self, q: usize, rule: usize, completed: Option<(Asked, u64)>, received: Option<Received>) {
        self.fired[rule] += 1;
        let (number, index) = (self.queues[q].region, self.queues[q].index);
        if let Some(trace) = &mut self.trace {
            // A trace that cannot be written is no reason to stop the device.
            let _ = writeln!(trace, "{number}.{index} {}", self.rules.name(rule));
        }
        let lives = |(peer, at, generation): &(usize, usize, u64)| {
            self.contexts[*peer].open && self.contexts[*peer].region.get(qp_at(*at) + QP_ALIVE) == *generation
        };
        let is_told = |(asked, status): &(Asked, u64)| match asked.part {
            Part::Whole => true,
            Part::Deed => *status != OK,
            Part::Word => !self.queues[q].is_told,
            Part::Copy => false,
        };
        let told = completed.filter(|c| !self.queues[q].detached && is_told(c));
        if let Some((Asked { id, opcode, len, signaled, part }, status)) = told {
            self.queues[q].is_told = part == Part::Deed;
            let (region, at) = (&self.contexts[number].region, qp_at(index));
            // Who sees the completion may post the next at once.
            region.set(at + QP_RETIRED, region.get(at + QP_RETIRED).wrapping_add(1));
            let (cq, qpn) = (cq_of(region, index, QP_SEND_CQ), qpn(number, index));
            let done = Completion { id, opcode, len, qpn, status, ..Completion::default() };
            if signaled || status != OK {
                self.burst.add(region, (cq, at), done);
            }
            if let (Some(event), Some((peer, at, _))) = (heard_there(status), self.queues[q].other.filter(lives)) {
                self.contexts[peer].region.event(event, at);
            }
        }
        let source = if self.queues[q].has_datagrams { qpn(number, index) } else { 0 };
        if let Some(Received { by: Some(by), status, id, len, header }) = received
            && lives(&by)
        {
            let (peer, at, _) = by;
            let header = header.unwrap_or(Header { opcode: WC_RECV, ..Header::default() });
            let Header { imm, opcode, solicited, invalidates, route } = header;
            let region = &self.contexts[peer].region;
            let (qpn, flags) =
                (qpn(peer, at), if imm.is_some() { WC_WITH_IMM } else { 0 } | if route.is_some() { WC_GRH } else { 0 });
            let mut done = Completion { id, status, opcode, len, imm: imm.unwrap_or(0), flags, qpn, source, solicited };
            if let Some(key) = invalidates {
                keys::change((region, peer), Change::Invalidate { key }, qpn, 0);
                (done.imm, done.flags) = (key, WC_WITH_INV);
            }
            // Receives of an extended connection are told by their own queue, which may be another process's.
            let (told, cq) = match self.queues[q].srq {
                None => (region, cq_of(region, at, QP_RECV_CQ)),
                Some((number, srq)) => {
                    let told = &self.contexts[number].region;
                    (told, usize::try_from(told.get(srq_at(srq) + SRQ_CQ)).unwrap_or(0))
                }
            };
            self.burst.add_of(told, cq, (region, qp_at(at)), done);
        }
        if !self.burst.is_going_on {
            self.burst.tell();
        }
        if !self.queues[q].detached {
            self.settle(q);
        }
    }
}

/// The event that the other end hears of when it has refused a request (InfiniBand vol. 1 §9.9.3, §11.6.3).
fn heard_there(status: u64) -> Option<u64> {
    match status {
        REM_INV_REQ_ERR => Some(QP_REQ_ERR),
        REM_ACCESS_ERR => Some(QP_ACCESS_ERR),
        REM_OP_ERR => Some(QP_FATAL),
        _ => None,
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
