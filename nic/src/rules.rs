//! The specification's rules as a queue pair runs them.
//!
//! A queue pair is the model's `QP[t][n]` for one thread `t` and one node `n`: a program of two nodes and a thread on each,
//! without code, with as many locations as operations may name at a time. The second thread is who receives at the other end. A
//! queue pair between two queue pairs of one context has both ends on one node. A queue pair for datagrams is the first thread; the
//! others are those that it sends to. All queue pairs share one machine; each has
//! a state of its own. The thread's buffer `B[t]` holds what was posted and has not entered the queue pair; its stores
//! are the real processor's.

use crate::interface;
use crate::layout::{FENCE, SEND_INLINE, WR_CMP_SWP, WR_FETCH_ADD, WR_READ};
use crate::memo::{Heard, Last, Memo, Which};
use crate::receives::Taker;
use crate::whole::{Steps, Whole};
use litmpi_engine::external::{Memory, Ready};
use litmpi_engine::machine::Machine;
use litmpi_spec::decl::{Instruction, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::heap::Word;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Loc, Node, Program, Reg, Thread};
use litmpi_spec::types::Sort;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Locations of each node of a queue pair.
pub(crate) const SLOTS: usize = 32;
/// The thread that asks, and its number.
const ASKER: usize = 0;
/// Queue pairs that one may have datagrams on their way to at a time, itself aside: threads behind the first one.
pub(crate) const PARTIES: usize = 4;
const ASKERS_NUMBER: Word = 1;
/// Registers of each thread: what polls tell.
const REGISTERS: usize = 4;

/// A poll that could be made: by which thread, the rule that would take it, and its arguments.
struct Poll {
    thread: usize,
    rule: usize,
    args: Vec<Word>,
}

/// A machine, and the instructions that hand completions over.
pub(crate) struct Rules {
    machine: Machine,
    memo: Memo,
    whole: Whole,
    steps: Steps,
    /// The rules that no instruction sets off, and polls by where the other end is.
    own: Vec<usize>,
    /// The place of each of these among them.
    places_of: Vec<usize>,
    asked: [Vec<Poll>; 3],
    poll: usize,
    poll_receive: usize,
    ud_poll: usize,
    ud_poll_receive: usize,
    /// By these an unreliable network loses a datagram, or delivers it twice.
    lose: [usize; 2],
    double: usize,
    /// These come when a timer has run out.
    exceeded: usize,
    not_ready: usize,
    /// Keys change by this one.
    change: usize,
    /// A message takes a receive by one of these.
    places: [usize; 2],
    /// What an atomic operation writes reaches memory by this one.
    atomic: usize,
}

/// How long an end waits for what the rules let it give up at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Timers {
    /// For an answer of an end that does not hear.
    pub(crate) answer: Duration,
    /// For a receive at the other end.
    pub(crate) receive: Duration,
    /// After how long a request without an answer is sent again, and how often.
    pub(crate) answer_again: Duration,
    pub(crate) answers_again: u32,
    /// After how long a message without a receive is, and how often.
    pub(crate) receive_again: Duration,
    pub(crate) receives_again: u32,
}

impl Timers {
    /// Whether a request without an answer is given up at once.
    pub(crate) fn is_never_sent_again(&self) -> bool {
        self.answers_again == 0 && self.answer_again > Duration::ZERO
    }
}

/// Where the other end is, by its node, which is also the thread there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Of the same context.
    Same,
    /// Of another one.
    Other,
    /// Wherever datagrams go.
    Any,
}

/// Where data comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// A local location.
    From(Word),
    /// The request itself.
    Value(Word),
}

/// What a work request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Read a remote location into a local one.
    Get { x: Word, y: Word },
    /// Write data into a remote location.
    Put { y: Word, data: Data },
    /// A message, or a remote write that tells of itself.
    Message { to: Option<Word>, data: Data, imm: Word, len: Word },
    /// A datagram to a thread, by its place.
    Datagram { to: Word, data: Data, imm: Word, len: Word },
    /// Add to a remote location, and write what it held into a local one.
    FetchAdd { x: Word, y: Word, v: Word },
    /// Write a remote location if it holds what is expected, and what it held into a local one.
    CompareSwap { x: Word, y: Word, old: Word, new: Word },
    /// Wait for earlier ones.
    Fence,
    /// Fail, at this end or the other, with a status of completions.
    Fail { status: Word, remote: bool },
    /// Change keys of the asking end.
    Change,
}

/// What a completion says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// The earliest request is over, with this status.
    Request { status: Word },
    /// A receive is over.
    Receive { status: Word, imm: Word, id: Word, len: u64 },
}

/// Whether a request's data comes with it.
pub(crate) fn is_inline(opcode: u64, flags: u64) -> bool {
    flags & SEND_INLINE != 0 && !matches!(opcode, WR_READ | WR_CMP_SWP | WR_FETCH_ADD)
}

/// Whether a request waits for those before it.
pub(crate) fn is_fenced(flags: u64) -> bool {
    flags & FENCE != 0
}

impl Peer {
    fn node(self) -> Word {
        match self {
            Peer::Same => 0,
            Peer::Other | Peer::Any => 1,
        }
    }

    fn thread(self) -> usize {
        self.node() as usize
    }
}

impl Rules {
    /// Prepares a model.
    ///
    /// # Errors
    /// A model that does not have what a device asks for; an unknown variant.
    pub(crate) fn new(spec: Spec, variant: &str) -> Result<Rules, Report> {
        interface::check(&spec)?;
        let find = |name: &str| spec.instructions.find(name).expect("the interface has been checked");
        let (poll, poll_receive) = (find("poll_cq"), find("poll_recv"));
        let (ud_poll, ud_poll_receive) = (find("ud_poll"), find("ud_poll_recv"));
        let rule = |name| spec.rules.iter().position(|r| r.name == name).expect("the interface has been checked");
        let (lose, double) = ([interface::LOSE, interface::DROP].map(rule), rule(interface::DOUBLE));
        let change = rule(interface::CHANGE);
        let (exceeded, not_ready) = (rule(interface::EXCEEDED), rule(interface::NOT_READY));
        let places = interface::PLACES.map(rule);
        let atomic = rule(interface::ATOMIC);
        let loc = |node: usize, i: usize| Loc { name: format!("{node}.{i}"), node, initial: 0, room: 1 };
        let reg = |i: usize| Reg { name: format!("r{i}"), ty: "Int".into(), kind: None };
        let thread = |i: usize| Thread {
            number: i as i64 + i64::from(ASKERS_NUMBER),
            node: i.min(1),
            regs: (0..REGISTERS).map(reg).collect(),
            code: vec![],
        };
        let program = Program {
            nodes: vec![Node { number: 1 }, Node { number: 2 }],
            locs: (0..2).flat_map(|node| (0..SLOTS).map(move |i| loc(node, i))).collect(),
            threads: (0..=PARTIES).map(thread).collect(),
            arrays: vec![],
        };
        let machine = Machine::new(Arc::new(spec), &program, variant).map_err(Report::from)?;
        let rules = &machine.spec().rules;
        let rules_of_all = rules.len();
        let own: Vec<usize> = (0..rules_of_all).filter(|i| rules[*i].on.is_none()).collect();
        let on = |i: usize| rules[i].on.as_ref().map(|(_, instr, _)| (*instr, i));
        let polls = |peer: Peer| -> Vec<Poll> {
            let (status, u) = (machine.register(ASKER, 0), peer.thread());
            let told = |i: usize| machine.register(u, i);
            let calls: Vec<(usize, usize, Vec<Word>)> = if peer == Peer::Any {
                let receive = |s| (s, ud_poll_receive, (0..REGISTERS).map(told).collect());
                [(ASKER, ud_poll, vec![status])].into_iter().chain((0..=PARTIES).map(receive)).collect()
            } else {
                let receive = [ASKERS_NUMBER].into_iter().chain((0..REGISTERS).map(told)).collect();
                vec![(ASKER, poll, vec![peer.node(), status]), (u, poll_receive, receive)]
            };
            let rules_of = |of: usize| (0..rules.len()).filter_map(on).filter(move |(instr, _)| *instr == of);
            let each = |(thread, instr, args): &(usize, usize, Vec<Word>)| {
                let poll = |(_, rule)| Poll { thread: *thread, rule, args: args.clone() };
                rules_of(*instr).map(poll).collect::<Vec<_>>()
            };
            calls.iter().flat_map(each).collect()
        };
        let asked = [Peer::Same, Peer::Other, Peer::Any].map(polls);
        Ok(Rules {
            memo: Memo::default(),
            whole: Whole::default(),
            steps: Steps::default(),
            places_of: (0..rules_of_all).map(|rule| own.iter().position(|r| *r == rule).unwrap_or(0)).collect(),
            own,
            asked,
            machine,
            poll,
            poll_receive,
            ud_poll,
            ud_poll_receive,
            lose,
            double,
            exceeded,
            not_ready,
            change,
            places,
            atomic,
        })
    }

    /// The state of a queue pair that has nothing to do.
    pub(crate) fn idle(&self) -> &[Word] {
        self.machine.initial()
    }

    /// A rule's name.
    pub(crate) fn name(&self, rule: usize) -> &str {
        &self.machine.spec().rules[rule].name
    }

    /// The rule of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.machine.spec().rules.iter().position(|r| r.name == name)
    }

    /// Whether a rule is a step of a queue pair by itself, towards a node or another thread; the others hand requests and
    /// completions over.
    pub(crate) fn is_of_queue(&self, rule: usize) -> bool {
        let rule = &self.machine.spec().rules[rule];
        rule.on.is_none() && rule.params.len() > 1
    }

    /// Whether a network that loses nothing takes a rule only where there is no other: a datagram, or a message of an unreliable
    /// connection, that nobody receives is lost.
    pub(crate) fn loses(&self, rule: usize) -> bool {
        self.lose.contains(&rule)
    }

    /// How long a rule is not taken, though it could be.
    pub(crate) fn patience(&self, rule: usize, timers: &Timers) -> Duration {
        match rule {
            _ if rule == self.exceeded => timers.answer,
            _ if rule == self.not_ready => timers.receive,
            _ => Duration::ZERO,
        }
    }

    /// Whether a message takes a receive by the rule.
    pub(crate) fn takes_receive(&self, rule: usize) -> bool {
        self.places.contains(&rule)
    }

    /// Whether a message finds no receive by the rule.
    pub(crate) fn finds_no_receive(&self, rule: usize) -> bool {
        rule == self.not_ready
    }

    /// Whether what an atomic operation writes reaches memory by the rule.
    pub(crate) fn ends_atomic(&self, rule: usize) -> bool {
        rule == self.atomic
    }

    /// Whether keys change by the rule.
    pub(crate) fn changes_keys(&self, rule: usize) -> bool {
        rule == self.change
    }

    /// Whether only a network that loses and doubles takes a rule.
    pub(crate) fn doubles(&self, rule: usize) -> bool {
        rule == self.double
    }

    /// How many rules there are.
    pub(crate) fn count(&self) -> usize {
        self.machine.spec().rules.len()
    }

    /// The state after the thread has asked for something; none if it may not now.
    ///
    /// # Errors
    /// A rule that cannot be evaluated, or whose requirements do not hold.
    pub(crate) fn ask(
        &self,
        ask: Ask,
        peer: Peer,
        state: &[Word],
        memory: &dyn Memory,
    ) -> Result<Option<Vec<Word>>, Report> {
        let (name, named): (&str, Vec<(&str, Word)>) = match ask {
            Ask::Get { x, y } => ("get", vec![("x", x), ("y", y)]),
            Ask::Put { y, data: Data::From(x) } => ("put", vec![("y", y), ("x", x)]),
            Ask::Put { y, data: Data::Value(v) } => ("put_imm", vec![("y", y), ("v", v)]),
            Ask::Message { to, data, imm, len } => {
                let (name, what) = match (to, data) {
                    (None, Data::From(x)) => ("send", ("x", x)),
                    (None, Data::Value(v)) => ("send_value", ("v", v)),
                    (Some(_), Data::From(x)) => ("write_with_imm", ("x", x)),
                    (Some(_), Data::Value(v)) => ("write_value_with_imm", ("v", v)),
                };
                (name, vec![("y", to.unwrap_or(0)), what, ("imm", imm), ("len", len)])
            }
            Ask::Datagram { to, data, imm, len } => {
                let (name, what) = match data {
                    Data::From(x) => ("ud_send", ("x", x)),
                    Data::Value(v) => ("ud_send_value", ("v", v)),
                };
                (name, vec![("thread", to + ASKERS_NUMBER), what, ("imm", imm), ("len", len)])
            }
            Ask::FetchAdd { x, y, v } => ("rfaa", vec![("x", x), ("y", y), ("v", v)]),
            Ask::CompareSwap { x, y, old, new } => ("rcswap", vec![("x", x), ("y", y), ("old", old), ("new", new)]),
            Ask::Fence => ("rfence", vec![]),
            Ask::Change => ("bind_window", vec![]),
            Ask::Fail { status, .. } if peer == Peer::Any => ("ud_fail", vec![("status", status)]),
            Ask::Fail { status, remote } => ("fail", vec![("status", status), ("remote", Word::from(remote))]),
        };
        self.run(name, (ASKER, peer), &named, (state, memory))
    }

    /// The state after the asking end is put into a state.
    pub(crate) fn modify(&self, to: u64, peer: Peer, state: &[Word], memory: &dyn Memory) -> Run {
        let name = if peer == Peer::Any { "ud_modify_qp" } else { "modify_qp" };
        self.run(name, (ASKER, peer), &[("to", to as Word)], (state, memory))
    }

    /// The state after the program has been told that the send queue is drained; none while it is not.
    pub(crate) fn drained(&self, peer: Peer, state: &[Word], memory: &dyn Memory) -> Run {
        let name = if peer == Peer::Any { "ud_await_drained" } else { "await_drained" };
        self.run(name, (ASKER, peer), &[], (state, memory))
    }

    /// The state after the other end is put into a state.
    pub(crate) fn modify_far(&self, to: u64, peer: Peer, state: &[Word], memory: &dyn Memory) -> Run {
        let named = [("thread", ASKERS_NUMBER), ("to", to as Word)];
        self.run("modify_recv_qp", (peer.thread(), peer), &named, (state, memory))
    }

    /// The state after the asking end is told how often to send again what finds no receive.
    pub(crate) fn retries(&self, times: u64, peer: Peer, state: &[Word], memory: &dyn Memory) -> Run {
        self.run("rnr_retry", (ASKER, peer), &[("times", times as Word)], (state, memory))
    }

    /// The state after the queue pair is said to be an unreliable connection.
    pub(crate) fn unreliable(&self, peer: Peer, state: &[Word], memory: &dyn Memory) -> Run {
        self.run("unreliable", (ASKER, peer), &[], (state, memory))
    }

    /// A number of bytes, as rules reckon with it.
    pub(crate) fn length(&self, bytes: u64) -> Word {
        self.machine.word(i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Posts a receive to a queue that is kept in memory, as that says.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(crate) fn post_receive(
        &self,
        taker: Taker,
        (x, room, id): (Word, Word, Word),
        memory: &dyn Memory,
    ) -> Result<(), Report> {
        let name = match taker {
            Taker::Own => "post_recv",
            Taker::Shared => "post_srq_recv",
            Taker::Datagrams => "ud_post_recv",
        };
        let named = [("thread", ASKERS_NUMBER), ("x", x), ("room", room), ("id", id)];
        let peer = Peer::Other;
        self.run(name, (peer.thread(), peer), &named, (self.idle(), memory)).map(|_| ())
    }

    fn run(
        &self,
        name: &str,
        (thread, peer): (usize, Peer),
        named: &[(&str, Word)],
        (state, memory): (&[Word], &dyn Memory),
    ) -> Run {
        let instructions = &self.machine.spec().instructions;
        let instr = instructions.find(name).ok_or_else(|| Diagnostic::general(format!("no instruction `{name}`")))?;
        let args = self.arguments(&instructions.list[instr], peer, named);
        let ready = self.machine.ready_for((thread, instr, &args), state, memory).map_err(Report::from)?;
        ready.first().map(|first| self.fire(first, state, memory)).transpose()
    }

    /// Arguments by the names of the parameters; a node is the other one.
    fn arguments(&self, instruction: &Instruction, peer: Peer, named: &[(&str, Word)]) -> Vec<Word> {
        let kinds = &self.machine.spec().instructions;
        let value = |name: &str| named.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v);
        let word = |p: &litmpi_spec::decl::Param| {
            if kinds.kind(p).shape == Shape::Node { peer.node() } else { value(&p.name) }
        };
        instruction.params.iter().map(word).collect()
    }

    /// What the queue pair may do now, a completion that could be polled included. Completions are handed over as
    /// soon as that is allowed: taking one earlier than the program would blocks no other rule.
    pub(crate) fn ready(
        &self,
        peer: Peer,
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
    ) -> Result<Rc<[Ready]>, Report> {
        let mut ready = vec![];
        let polls = &self.asked[peer as usize];
        last.begin(self.own.len() + polls.len(), (state, self.idle()), peer as u8);
        let is_known = if last.is_plain { self.whole.ready(peer as u8, (state, &last.differs), memory) } else { None };
        if let Some(known) = is_known {
            return Ok(known);
        }
        let mut from = 0;
        while let Some(place) = last.next(from) {
            from = place + 1;
            if let Some(known) = last.holds(place) {
                ready.extend_from_slice(known);
                continue;
            }
            let (rule, on) = match place.checked_sub(self.own.len()).map(|i| &polls[i]) {
                None => (self.own[place], None),
                Some(Poll { thread, rule, args }) => (*rule, Some((*thread, &args[..]))),
            };
            ready.extend_from_slice(&self.ready_by((rule, place), on, peer, (state, last), memory)?);
        }
        let ready = Rc::from(ready);
        if last.is_plain
            && let Some(answers) = last.answers()
        {
            self.whole.keep(peer as u8, (state, self.idle(), &last.differs), answers, &ready);
        }
        Ok(ready)
    }

    /// As which instances one rule is ready, set off by a thread's instruction with arguments if it is a poll.
    fn ready_by(
        &self,
        (rule, place): (usize, usize),
        on: Option<(usize, &[Word])>,
        peer: Peer,
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
    ) -> Result<Rc<[Ready]>, Report> {
        let which = Which { place, peer: peer as u8 };
        let fixed = |on: Option<_>| if on.is_some() { vec![] } else { among(peer) };
        let find = |memory: &dyn Memory| self.machine.find((rule, on), state, memory, &fixed(on));
        self.memo.ready(which, (state, last), memory, find).map_err(Report::from)
    }

    fn instruction_of(&self, ready: &Ready) -> Option<usize> {
        self.machine.spec().rules[ready.rule].on.as_ref().map(|(_, instr, _)| *instr)
    }

    /// Whether the rule hands a completion over, of a request or of a receive.
    pub(crate) fn hands_over(&self, ready: &Ready) -> bool {
        self.is_poll(ready)
            || self.instruction_of(ready).is_some_and(|i| [self.poll_receive, self.ud_poll_receive].contains(&i))
    }

    /// Whether the rule hands the completion of a request over.
    pub(crate) fn is_poll(&self, ready: &Ready) -> bool {
        self.instruction_of(ready).is_some_and(|i| [self.poll, self.ud_poll].contains(&i))
    }

    /// What a poll has told, which is then no longer in the state.
    pub(crate) fn told(&self, ready: &Ready, peer: Peer, state: &mut [Word]) -> Option<Told> {
        let instr = self.instruction_of(ready)?;
        let mut take = |thread: usize, i: usize| std::mem::take(&mut state[self.machine.register(thread, i) as usize]);
        if self.is_poll(ready) {
            return Some(Told::Request { status: take(ASKER, 0) });
        }
        let [status, imm, id, len] = [0, 1, 2, 3].map(|i| take(peer.thread(), i));
        let len = u64::try_from(self.machine.value(len)).unwrap_or(0);
        [self.poll_receive, self.ud_poll_receive].contains(&instr).then_some(Told::Receive { status, imm, id, len })
    }

    /// The rule as it is ready now: what its premises read of memory may have changed.
    pub(crate) fn renew(
        &self,
        ready: Ready,
        peer: Peer,
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
    ) -> Result<Option<Ready>, Report> {
        if self.instruction_of(&ready).is_some() {
            return Ok(Some(ready));
        }
        let place = self.places_of[ready.rule];
        last.look_at_one(place);
        let now = self.ready_by((ready.rule, place), None, peer, (state, last), memory)?;
        last.look_at_one(place);
        Ok(now.iter().find(|r| **r == ready).or(now.first()).cloned())
    }

    /// The state after a rule, of a queue pair that has looked.
    pub(crate) fn step(
        &self,
        ready: &Ready,
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
    ) -> Result<Vec<Word>, Report> {
        if !last.is_plain {
            return self.fire(ready, state, memory);
        }
        let differs = last.differs(state, self.idle());
        if let Some(after) = self.steps.after(ready, (state, differs), memory) {
            return Ok(after);
        }
        let heard = Heard::new(memory);
        let after = self.fire(ready, state, &heard)?;
        if let Some(answers) = heard.answers() {
            self.steps.keep(ready, (state, self.idle(), differs), answers, &after);
        }
        Ok(after)
    }

    /// The state after a rule.
    pub(crate) fn fire(&self, ready: &Ready, state: &[Word], memory: &dyn Memory) -> Result<Vec<Word>, Report> {
        self.machine.fire(ready, state, memory).map_err(Report::from)
    }
}

/// A state after an instruction; none if no rule takes it now.
pub(crate) type Run = Result<Option<Vec<Word>>, Report>;

/// Rules of a queue pair are about the thread that asks and the other end; those of datagrams, about all that they go to.
fn among(peer: Peer) -> Vec<(Sort, Word)> {
    let mut fixed = vec![(Sort::Thread, ASKER as Word), (Sort::Node, peer.node())];
    if peer != Peer::Any {
        fixed.push((Sort::Thread, 1));
    }
    fixed
}
