//! One queue pair: the state that the rules run in, what was asked of it, and when it does what.

use crate::adversary::{Adversary, Kind};
use crate::direct::Wanted;
use crate::keys::Change;
use crate::layout::{DATAGRAMS, ERR, EXTENDED, HEADER, OK, RTS, SQD, SQE, UNRELIABLE};
use crate::memo::Last;
use crate::place::Place;
use crate::receives::ReceiveQueue;
use crate::rules::{Ask, Data, Peer, Rules, Timers, Told};
use crate::temper::{Rng, Scheduler, Temper};
use crate::window::{Access, Header, Link, Name, Party, Shared, Window};
use litmpi_engine::external::Ready;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::heap::Word;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A request that has no completion yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) id: u64,
    pub(crate) opcode: u64,
    pub(crate) len: u64,
    pub(crate) signaled: bool,
    pub(crate) part: Part,
}

/// What of a request it is. One that is carried out and fails nevertheless is two to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    /// Of one whose answer never comes: what it asks for, of which only a failure is told.
    Deed,
    /// That it fails, which is told unless the deed has failed.
    Word,
    /// Of a datagram to a group: to one of those that are not the last, of which nothing is told.
    Copy,
}

/// For how long completions come one behind the other, once they are not kept back any more.
const BURST: Duration = Duration::from_micros(50);

/// Requests of which a queue pair's states come again and again, whatever comes first: with more there are too many.
const PLAIN: usize = 2;

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
    /// Whether it is for datagrams; and whether it loses and doubles them, or sends one after the other.
    pub(crate) has_datagrams: bool,
    is_lossy: bool,
    /// Whether it is an unreliable connection, and of which peer the rules have been told so.
    pub(crate) is_unreliable: bool,
    unreliable_to: Option<Peer>,
    /// Whether it is the asking end of an extended connection, and which shared queue it sends to: its region and its number.
    pub(crate) is_extended: bool,
    pub(crate) srq: Option<(usize, usize)>,
    /// The queue pair at the other end, once there is one.
    pub(crate) other: Option<Name>,
    /// Whether the rules have been told that the other end is in error, and whether they have been asked what they flush there.
    deaf: bool,
    flushes: bool,
    /// The numbers of those that the datagram to a group that is being sent has still to go to; none while there is no such one.
    pub(crate) group: Option<Vec<u64>>,
    /// Since when a request waits for the other end to be there.
    pub(crate) alone: Option<Instant>,
    /// It only flushes the receives of the end that it names: the queue pair there has nobody at its other end.
    pub(crate) is_stand_in: bool,
    /// How often what finds no receive is sent again, and how long that takes.
    retries: Option<u64>,
    timers: Timers,
    state: Vec<Word>,
    /// What was ready when it last looked.
    last: Last,
    window: Window,
    asked: VecDeque<Asked>,
    /// Changes of keys that are asked for and not made yet.
    changes: VecDeque<Change>,
    waiting: Vec<Waiting>,
    temper: Temper,
    /// Until when completions are kept back, if they come in bursts.
    kept: Option<Instant>,
    /// A write that is under way, if memory is slow: no other step is taken until it is over.
    slow: Option<Slow>,
    /// The deed of a request has failed: that its answer never comes is not told.
    pub(crate) is_told: bool,
    /// It goes into the error state by itself, which is told then.
    pub(crate) is_doomed: bool,
}

/// A write that comes in parts: the value, what is left of it, the last first, and when the next comes.
struct Slow {
    value: usize,
    parts: Vec<(usize, Place)>,
    each: Duration,
    next: Instant,
}

/// In the place of a step: the next part of a slow write.
const PART: usize = usize::MAX;

/// What came of a step.
#[derive(Default)]
pub(crate) struct Done {
    /// None if its premises no longer hold.
    pub(crate) rule: Option<usize>,
    /// A request that is over, with its status.
    pub(crate) completed: Option<(Asked, u64)>,
    /// A receive of the other end that is over.
    pub(crate) received: Option<Received>,
    /// Keys that change with it.
    pub(crate) change: Option<Change>,
}

/// A receive that is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Received {
    /// The queue pair that took it.
    pub(crate) by: Option<Name>,
    pub(crate) status: u64,
    pub(crate) id: u64,
    pub(crate) len: u64,
    pub(crate) header: Option<Header>,
}

/// The ways of a device and its fabric.
pub(crate) struct Ways {
    pub(crate) scheduler: Scheduler,
    pub(crate) longest: Duration,
    pub(crate) adversary: Adversary,
    /// How many packets have been sent again.
    pub(crate) again: Cell<u64>,
}

/// How to hold steps back.
pub(crate) struct Holding<'a> {
    pub(crate) ways: &'a Ways,
    pub(crate) rng: &'a mut Rng,
}

impl Holding<'_> {
    /// How much longer than its temper says a queue pair holds a rule back.
    fn more(&mut self, rules: &Rules, rule: usize, timers: &Timers) -> Duration {
        let (more, is_again) = self.ways.adversary.hold(rules, rule, (timers, self.ways.longest), self.rng);
        self.ways.again.set(self.ways.again.get() + u64::from(is_again));
        more
    }
}

impl Queue {
    pub(crate) fn new(
        (region, index, generation): Name,
        rules: &Rules,
        shared: &Shared,
        near: Rc<Cell<Word>>,
        (kind, is_lossy): (u64, bool),
    ) -> Queue {
        let is_unreliable = kind == UNRELIABLE;
        Queue {
            region,
            index,
            generation,
            taken: 0,
            urgent: false,
            detached: false,
            has_datagrams: kind == DATAGRAMS,
            is_lossy,
            is_unreliable,
            unreliable_to: None,
            is_extended: kind == EXTENDED,
            srq: None,
            other: None,
            deaf: false,
            flushes: false,
            group: None,
            alone: None,
            is_stand_in: false,
            retries: None,
            timers: Timers::default(),
            state: rules.idle().to_vec(),
            last: Last::default(),
            window: Window::new(shared, near, !is_unreliable),
            asked: VecDeque::new(),
            changes: VecDeque::new(),
            waiting: vec![],
            temper: Temper::default(),
            kept: None,
            slow: None,
            is_told: false,
            is_doomed: false,
        }
    }

    /// Whether nothing is under way: every request is over, and no step is left.
    pub(crate) fn is_idle(&self) -> bool {
        self.asked.is_empty() && self.is_still()
    }

    /// Whether no step is left to take, though requests may wait for the other end.
    pub(crate) fn is_still(&self) -> bool {
        self.waiting.is_empty() && self.slow.is_none()
    }

    /// Whether this end is in error.
    pub(crate) fn is_in_error(&self) -> bool {
        u64::from(self.window.near()) == ERR
    }

    /// Whether nothing more is sent: this end is in error, or its send queue is.
    pub(crate) fn sends_nothing(&self) -> bool {
        self.is_in_error() || u64::from(self.window.near()) == SQE
    }

    /// Whether what is posted waits, since the send queue is drained.
    pub(crate) fn is_drained(&self) -> bool {
        u64::from(self.window.near()) == SQD
    }

    /// The state of this end.
    pub(crate) fn near(&self) -> u64 {
        u64::from(self.window.near())
    }

    /// All of it that following ends looks at, as a number.
    pub(crate) fn stands(&self) -> u64 {
        let far = self.window.linked().map_or(0, |l| 1 + u64::from(l.far.get()));
        let bits =
            [self.detached, self.asked.is_empty(), self.is_still(), self.deaf, self.flushes, self.other.is_some()];
        bits.iter().fold(far << 8 | u64::from(self.window.near()), |all, bit| all << 1 | u64::from(*bit))
    }

    /// A queue pair that stands in for the one that is missing at the other end of one, so that receives there are flushed.
    pub(crate) fn stand_in(
        of: Name,
        rules: &Rules,
        shared: &Shared,
        link: Link,
        holding: &mut Holding<'_>,
    ) -> Result<Queue, Report> {
        let mut queue = Queue::new(of, rules, shared, Rc::new(Cell::new(RTS as Word)), (0, false));
        queue.detached = true;
        queue.is_stand_in = true;
        queue.other = Some(of);
        queue.connect(rules, link, holding)?;
        Ok(queue)
    }

    /// Connects it with its other end.
    pub(crate) fn connect(&mut self, rules: &Rules, link: Link, holding: &mut Holding<'_>) -> Result<(), Report> {
        (self.deaf, self.flushes) = (false, false);
        self.srq = None;
        self.alone = None;
        self.window.link(link);
        self.say_type(rules)?;
        self.look(rules, None, holding)
    }

    /// Says how often what finds no receive is sent again, and how long it takes until that, or sending without an answer, is given up.
    pub(crate) fn set_timers(&mut self, rules: &Rules, retries: u64, timers: Timers) -> Result<(), Report> {
        self.timers = timers;
        if self.retries == Some(retries) {
            return Ok(());
        }
        self.retries = Some(retries);
        if let Some(state) = rules.retries(retries, self.window.peer(), &self.state, &self.window)? {
            self.state = state;
        }
        Ok(())
    }

    /// How long it waits for answers and receives.
    pub(crate) fn timers(&self) -> &Timers {
        &self.timers
    }

    /// Tells the rules that it is an unreliable connection, if it is, before anything is asked of it.
    pub(crate) fn say_type(&mut self, rules: &Rules) -> Result<(), Report> {
        let peer = self.window.peer();
        if !self.is_unreliable || self.unreliable_to == Some(peer) {
            return Ok(());
        }
        if let Some(state) = rules.unreliable(peer, &self.state, &self.window)? {
            self.state = state;
            self.unreliable_to = Some(peer);
        }
        Ok(())
    }

    /// Whether keys are to be changed before anything else is asked for: what is behind that sees it.
    pub(crate) fn changes_keys(&self) -> bool {
        !self.changes.is_empty() && !self.is_in_error()
    }

    /// Which queue pair it is.
    pub(crate) fn name(&self) -> Name {
        (self.region, self.index, self.generation)
    }

    /// Whether it knows where receives are.
    pub(crate) fn is_linked(&self) -> bool {
        self.window.linked().is_some()
    }

    /// From now on, requests of an extended connection go to this shared queue. For an idle queue pair.
    pub(crate) fn turn_to(&mut self, srq: (usize, usize), link: Link) {
        self.srq = Some(srq);
        self.retries = None;
        self.window.link(link);
    }

    /// The state of the other end.
    pub(crate) fn far(&self) -> Option<Rc<Cell<Word>>> {
        self.window.linked().map(|l| Rc::clone(&l.far))
    }

    /// Tells a queue pair for datagrams where its own receives are.
    pub(crate) fn link(&mut self, link: Link) {
        self.window.link(link);
    }

    /// Its program has no more to do with it: datagrams do not reach it any more.
    pub(crate) fn detach(&mut self) {
        self.detached = true;
        if self.has_datagrams {
            self.window.leave();
        }
    }

    /// Nothing of it is left: its other end is not heard any more.
    pub(crate) fn leave(&self) {
        self.window.leave();
    }

    /// Puts this end into the error state, if it can be now.
    pub(crate) fn break_near(&mut self, rules: &Rules, holding: &mut Holding<'_>) -> Result<(), Report> {
        if let Some(state) = rules.modify(ERR, self.window.peer(), &self.state, &self.window)? {
            self.state = state;
            self.look(rules, None, holding)?;
        }
        Ok(())
    }

    /// Has the send queue drained or begin again, if it can be now; whether it is so.
    pub(crate) fn turn(&mut self, to: u64, rules: &Rules, holding: &mut Holding<'_>) -> Result<bool, Report> {
        let begins = to == SQD && self.near() == RTS || to == RTS && [SQD, SQE].contains(&self.near());
        if begins && let Some(state) = rules.modify(to, self.window.peer(), &self.state, &self.window)? {
            self.state = state;
            self.look(rules, None, holding)?;
        }
        Ok(self.near() == to)
    }

    /// Whether the event that the send queue is drained comes now; it comes once.
    pub(crate) fn is_told_drained(&mut self, rules: &Rules) -> Result<bool, Report> {
        let Some(state) = rules.drained(self.window.peer(), &self.state, &self.window)? else { return Ok(false) };
        self.state = state;
        Ok(true)
    }

    /// Tells the rules that the other end is in error, if it is and they can be told now. While nothing is asked for, only receives
    /// there are flushed: the other end may be made anew.
    pub(crate) fn notice_far(&mut self, rules: &Rules, holding: &mut Holding<'_>) -> Result<(), Report> {
        if !self.asked.is_empty() {
            return self.hear_far(rules, holding);
        }
        if self.is_far_in_error() && !self.flushes {
            self.flushes = true;
            self.look(rules, None, holding)?;
        }
        Ok(())
    }

    fn is_far_in_error(&self) -> bool {
        !self.has_datagrams && self.window.linked().is_some_and(|l| u64::from(l.far.get()) == ERR)
    }

    fn hear_far(&mut self, rules: &Rules, holding: &mut Holding<'_>) -> Result<(), Report> {
        if self.deaf || !self.is_far_in_error() {
            return Ok(());
        }
        if let Some(state) = rules.modify_far(ERR, self.window.peer(), &self.state, &self.window)? {
            self.deaf = true;
            self.state = state;
            self.look(rules, None, holding)?;
        }
        Ok(())
    }

    /// Whether receives are taken from this queue.
    pub(crate) fn takes_from(&self, receives: &Rc<RefCell<ReceiveQueue>>) -> bool {
        self.window.queues().iter().any(|r| Rc::ptr_eq(r, receives))
    }

    /// Whether another request has room. Where no datagram passes another, one is sent when the last one is over.
    pub(crate) fn has_room(&self) -> bool {
        let may_pass = !self.has_datagrams || self.is_lossy;
        self.window.has_room() && (may_pass || self.is_idle())
    }

    /// Asks for an operation.
    pub(crate) fn ask(
        &mut self,
        rules: &Rules,
        (asked, fenced): (Asked, bool),
        wanted: Want,
        holding: &mut Holding<'_>,
    ) -> Result<(), Report> {
        if self.is_idle() {
            self.temper = Temper::draw(holding.ways.scheduler, rules.count(), holding.ways.longest, holding.rng);
        }
        self.hear_far(rules, holding)?;
        if fenced {
            self.run(rules, Ask::Fence)?;
        }
        let w = &self.window;
        let from = |local: Local| match local {
            Local::Place(place) => Data::From(w.local(place)),
            Local::Bytes(bytes) => Data::Value(w.value(bytes)),
        };
        let ask = match wanted {
            Want::Read(to, place) => Ask::Get { x: w.local(to), y: w.remote(place) },
            Want::Write(place, data) => Ask::Put { y: w.remote(place), data: from(data) },
            Want::Message { to, data, header } => {
                let to = to.map(|place| w.remote(place));
                let len = rules.length(asked.len);
                Ask::Message { to, data: from(data), imm: w.carries(header), len }
            }
            Want::Datagram { to, data, header } => {
                let own = to.as_ref().is_some_and(|(name, _)| *name == self.name());
                let to = if own { 0 } else { w.party(to) };
                let len = rules.length(asked.len);
                Ask::Datagram { to, data: from(data), imm: w.carries(header), len }
            }
            Want::Add(to, place, v) => Ask::FetchAdd { x: w.local(to), y: w.remote(place), v: w.number(v) },
            Want::Swap(to, place, old, new) => {
                Ask::CompareSwap { x: w.local(to), y: w.remote(place), old: w.number(old), new: w.number(new) }
            }
            Want::Failure { status, remote } => Ask::Fail { status: status as Word, remote },
            Want::Change(change) => {
                self.changes.push_back(change);
                Ask::Change
            }
        };
        self.run(rules, ask)?;
        self.asked.push_back(asked);
        self.look(rules, None, holding)
    }

    fn run(&mut self, rules: &Rules, ask: Ask) -> Result<(), Report> {
        let state = rules.ask(ask, self.window.peer(), &self.state, &self.window)?;
        self.state = state.ok_or_else(|| Diagnostic::general(format!("no rule takes {ask:?} at once")))?;
        Ok(())
    }

    /// What may be done in the new state. A step that was already waiting goes on waiting; one by the rule that was just
    /// run waits anew, so that the programs may see what is between the two.
    fn look(&mut self, rules: &Rules, just: Option<usize>, holding: &mut Holding<'_>) -> Result<(), Report> {
        let mut before = std::mem::take(&mut self.waiting);
        before.retain(|w| Some(w.ready.rule) != just);
        let now = Instant::now();
        self.last.is_plain = self.asked.len() <= PLAIN;
        let ready = rules.ready(self.window.peer(), (&self.state, &mut self.last), &self.window)?;
        for ready in ready.iter().cloned() {
            let known = before.iter().position(|w| w.ready.rule == ready.rule).map(|i| before.remove(i).from);
            let patience = rules.patience(ready.rule, &self.timers);
            let from = known.unwrap_or_else(|| {
                let kept = if rules.hands_over(&ready) { self.keep(now, holding) } else { Duration::ZERO };
                let hold = self.temper.hold(ready.rule, holding.rng);
                let more = holding.more(rules, ready.rule, &self.timers);
                now + patience + kept.max(hold) + more
            });
            self.waiting.push(Waiting { ready, from });
        }
        Ok(())
    }

    /// For how long a completion that could be handed over now is kept back: until those of the present burst come.
    fn keep(&mut self, now: Instant, holding: &mut Holding<'_>) -> Duration {
        if self.kept.is_none_or(|kept| kept + BURST < now) {
            self.kept = holding.ways.adversary.keeps(holding.ways.longest, holding.rng).map(|keep| now + keep);
        }
        self.kept.map_or(Duration::ZERO, |kept| kept.saturating_duration_since(now))
    }

    /// Steps that may be taken now, by place; when the next one may, if none. While the link is down, none is of the queue pair itself.
    pub(crate) fn released(
        &self,
        rules: &Rules,
        (now, is_down): (Instant, bool),
        out: &mut Vec<usize>,
    ) -> Option<Instant> {
        let all = self.urgent || self.detached;
        if let Some(slow) = &self.slow {
            out.extend((all || slow.next <= now).then_some(PART));
            return Some(slow.next);
        }
        let passes = |i: &usize| !is_down || !rules.is_of_queue(self.waiting[*i].ready.rule);
        let may = |i: &usize| self.is_wanted(rules, *i) && passes(i);
        out.extend((0..self.waiting.len()).filter(may).filter(|i| all || self.waiting[*i].from <= now));
        (0..self.waiting.len()).filter(may).map(|i| self.waiting[i].from).min()
    }

    /// A step that hands a completion over and may be taken now, by its place.
    pub(crate) fn handed_over(&self, rules: &Rules, now: Instant) -> Option<usize> {
        let may = |w: &Waiting| w.from <= now && rules.hands_over(&w.ready);
        self.slow.is_none().then(|| self.waiting.iter().position(may)).flatten()
    }

    /// Whether the network takes the step. One that is not lossy doubles no datagram, and loses one only if it can do nothing else with
    /// it: when nobody has a receive for it.
    fn is_wanted(&self, rules: &Rules, step: usize) -> bool {
        let rule = |w: &Waiting| w.ready.rule;
        // A receive that the program has posted is there, though the rules do not see it yet.
        if rules.finds_no_receive(rule(&self.waiting[step])) {
            return !self.window.queues().iter().any(|r| r.borrow().has_more());
        }
        let is_good = |w: &Waiting| !rules.loses(rule(w)) && !rules.doubles(rule(w));
        let step = &self.waiting[step];
        if self.is_lossy || is_good(step) {
            return true;
        }
        let hopeless =
            || !self.waiting.iter().any(is_good) && !self.window.queues().iter().any(|r| r.borrow().has_more());
        rules.loses(rule(step)) && hopeless()
    }

    /// Steps that may be taken while a score is followed, by place: those that are not of the queue pair itself, and the
    /// one that the score says.
    pub(crate) fn told(&self, rules: &Rules, wanted: Option<Wanted>, out: &mut Vec<usize>) {
        if self.slow.is_some() {
            out.push(PART);
            return;
        }
        let free = |i: &usize| !rules.is_of_queue(self.waiting[*i].ready.rule);
        out.extend((0..self.waiting.len()).filter(free));
        out.extend(wanted.and_then(|w| self.place(w)));
    }

    /// The place of a step.
    pub(crate) fn place(&self, wanted: Wanted) -> Option<usize> {
        (0..self.waiting.len()).filter(|i| wanted.rules.contains(&self.waiting[*i].ready.rule)).nth(wanted.way)
    }

    /// Takes a step.
    pub(crate) fn step(&mut self, rules: &Rules, step: usize, holding: &mut Holding<'_>) -> Result<Done, Report> {
        if step == PART {
            self.write_on(holding);
            return Ok(Done::default());
        }
        if let Some(done) = self.step_slowly(rules, step, holding)? {
            return Ok(done);
        }
        let ready = self.waiting.swap_remove(step).ready;
        let peer = self.window.peer();
        let Some(ready) = rules.renew(ready, peer, (&self.state, &mut self.last), &self.window)? else {
            self.look(rules, None, holding)?;
            return Ok(Done::default());
        };
        self.state = rules.step(&ready, (&self.state, &mut self.last), &self.window)?;
        let mut done = Done { rule: Some(ready.rule), ..Done::default() };
        // A burst goes on from when its first completion is told, however late that is.
        self.kept = self.kept.map(|kept| if rules.hands_over(&ready) { kept.max(Instant::now()) } else { kept });
        if rules.changes_keys(ready.rule) {
            done.change = self.changes.pop_front();
        }
        match rules.told(&ready, peer, &mut self.state) {
            Some(Told::Request { status }) => {
                done.completed = self.asked.pop_front().map(|asked| (asked, u64::from(status)));
            }
            Some(Told::Receive { status, imm, id, len }) => done.received = self.over((status, imm, id, len)),
            None => {}
        }
        self.look(rules, Some(ready.rule), holding)?;
        Ok(done)
    }

    /// Takes a step that writes, part by part from now on; none if it is to be taken at once.
    fn step_slowly(&mut self, rules: &Rules, step: usize, holding: &mut Holding<'_>) -> Result<Option<Done>, Report> {
        let rule = self.waiting[step].ready.rule;
        let is_slow = holding.ways.adversary.has(Kind::Slow) && rules.is_of_queue(rule) && !rules.changes_keys(rule);
        if !is_slow || self.urgent || self.detached {
            return Ok(None);
        }
        let Some((rule, accesses)) = self.prepare_step(rules, step, holding)? else { return Ok(None) };
        for access in accesses {
            let stores = self.window.stores(access).filter(|_| self.slow.is_none());
            let slow = stores.and_then(|(value, len)| {
                let whole = holding.ways.adversary.takes(len, holding.ways.longest, holding.rng)?;
                let parts = self.window.parts(access, len, holding.rng)?;
                let each = whole / u32::try_from(parts.len()).unwrap_or(u32::MAX).max(1);
                Some(Slow { value, parts, each, next: Instant::now() })
            });
            match slow {
                Some(slow) => self.slow = Some(slow),
                None => self.window.make(access),
            }
        }
        Ok(Some(Done { rule: Some(rule), ..Done::default() }))
    }

    /// Writes the next part of what is under way.
    fn write_on(&mut self, holding: &mut Holding<'_>) {
        let Some(slow) = &mut self.slow else { return };
        let part = slow.parts.pop();
        slow.next = Instant::now() + slow.each.mul_f64(2.0 * holding.rng.unit());
        if let Some((at, place)) = &part {
            self.window.write_part(slow.value, *at, place);
        }
        if slow.parts.is_empty() {
            self.slow = None;
        }
    }

    /// A receive of another end that is over, as its program knows it.
    fn over(&self, (status, imm, id, len): (Word, Word, Word, u64)) -> Option<Received> {
        let status = u64::from(status);
        let header = if status == OK { self.window.carried(imm) } else { None };
        if let Some(route) = header.as_ref().and_then(|h| h.route.as_ref()) {
            self.window.write_route(id, &route[..]);
        }
        let (party, id) = self.window.release(id)?;
        let any = self.window.peer() == Peer::Any;
        let len = len + if any && status == OK { HEADER } else { 0 };
        let by = party.or(if any { Some(self.name()) } else { self.other });
        Some(Received { by, status, id, len, header })
    }

    /// Takes a step of its own but for its accesses to memory, which are to be made in this order, before anything else is done
    /// here; none if the step cannot be taken so.
    pub(crate) fn prepare(
        &mut self,
        rules: &Rules,
        wanted: Wanted,
        holding: &mut Holding<'_>,
    ) -> Result<Option<(usize, Vec<Access>)>, Report> {
        match self.place(wanted) {
            Some(step) if self.slow.is_none() => self.prepare_step(rules, step, holding),
            _ => Ok(None),
        }
    }

    fn prepare_step(
        &mut self,
        rules: &Rules,
        step: usize,
        holding: &mut Holding<'_>,
    ) -> Result<Option<(usize, Vec<Access>)>, Report> {
        let ready = self.waiting[step].ready.clone();
        if !self.window.prepare() {
            return Ok(None);
        }
        let renewed = rules.renew(ready, self.window.peer(), (&self.state, &mut self.last), &self.window);
        let fired =
            renewed.and_then(|r| r.map(|r| Ok((r.rule, rules.fire(&r, &self.state, &self.window)?))).transpose());
        let accesses = self.window.prepared();
        let Some((rule, state)) = fired? else { return Ok(None) };
        self.state = state;
        self.waiting.swap_remove(step);
        self.look(rules, Some(rule), holding)?;
        Ok(Some((rule, accesses)))
    }

    /// Its locations, and the values on their way: where accesses that were prepared are made.
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// Another queue pair has changed what rules of this one may wait for.
    pub(crate) fn look_again(&mut self, rules: &Rules, holding: &mut Holding<'_>) -> Result<(), Report> {
        self.look(rules, None, holding)
    }

    /// Makes the slots of an idle queue pair free; whether memory could not be reached meanwhile.
    pub(crate) fn settle(&mut self) -> bool {
        self.urgent = false;
        self.window.clear()
    }
}

/// Where data comes from.
pub(crate) enum Local {
    /// Memory of the asking process.
    Place(Place),
    /// The request.
    Bytes(Vec<u8>),
}

/// An operation that is asked for.
pub(crate) enum Want {
    /// What is there goes here: the local place, then the remote one.
    Read(Place, Place),
    /// Data goes to the remote place.
    Write(Place, Local),
    /// Data goes where a receive says, or to a place, and the receive tells of it.
    Message { to: Option<Place>, data: Local, header: Header },
    /// Data goes where a receive of a queue pair says, if it arrives.
    Datagram { to: Party, data: Local, header: Header },
    /// What a remote number was goes here; this is added to it.
    Add(Place, Place, u64),
    /// What a remote number was goes here; if it is the first of these, it becomes the second.
    Swap(Place, Place, u64, u64),
    /// None: the request fails with a status, here or at the other end.
    Failure { status: u64, remote: bool },
    /// Keys of the asking process change.
    Change(Change),
}
