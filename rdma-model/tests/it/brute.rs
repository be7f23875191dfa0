//! Robustness by brute force: what rdma-robustness defines (Defs. 1 to 5, 10 and 11), put down a second time and without relations of
//! cat, for programs of every shape that the paper has but loops: every way through the threads, every write for each read, every order
//! of writes and of flushes. What it says of a program is held against [`litmpi_models::Robust`].

use super::{spec, test};
use litmpi_models::{Limits, Robustness};
use litmpi_rdma_model::shaped::{self, Program, Statement, Value};

/// What an event is. The tables of Fig. 4 have a row for each, the CPU's apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Write,
    Cas,
    Fence,
    Poll,
    NicLocalRead,
    NicRemoteWrite,
    NicRemoteRead,
    NicLocalWrite,
    NicFence,
}
use Kind::{Cas, Fence, NicFence, NicLocalRead, NicLocalWrite, NicRemoteRead, NicRemoteWrite, Poll, Read, Write};

impl Kind {
    fn is_cpu(self) -> bool {
        matches!(self, Read | Write | Cas | Fence | Poll)
    }

    fn reads(self) -> bool {
        matches!(self, Read | Cas | NicLocalRead | NicRemoteRead)
    }

    fn writes(self) -> bool {
        matches!(self, Write | Cas | NicRemoteWrite | NicLocalWrite)
    }

    fn is_nic_write(self) -> bool {
        matches!(self, NicRemoteWrite | NicLocalWrite)
    }
}

/// A value: a number, or what an event of the same thread has read and a number.
#[derive(Debug, Clone, Copy)]
enum Term {
    Number(i64),
    ReadBy(usize, i64),
}

#[derive(Debug, Clone)]
struct Event {
    kind: Kind,
    loc: Option<usize>,
    towards: Option<usize>,
    written: Term,
}

/// A way through one thread: its events, and what must be equal or not.
#[derive(Debug, Clone, Default)]
struct Way {
    events: Vec<Event>,
    asks: Vec<(Term, i64, bool)>,
    registers: Vec<Term>,
}

impl Way {
    fn event(&mut self, kind: Kind, loc: Option<usize>, towards: Option<usize>, written: Term) -> usize {
        self.events.push(Event { kind, loc, towards, written });
        self.events.len() - 1
    }

    fn term(&self, value: &Value) -> Term {
        match *value {
            Value::Number(n) => Term::Number(n),
            Value::Register(r, more) => match self.registers.get(r).copied().unwrap_or(Term::Number(0)) {
                Term::Number(n) => Term::Number(n + more),
                Term::ReadBy(e, n) => Term::ReadBy(e, n + more),
            },
        }
    }

    fn set(&mut self, register: usize, term: Term) {
        if self.registers.len() <= register {
            self.registers.resize(register + 1, Term::Number(0));
        }
        self.registers[register] = term;
    }
}

fn ways(body: &[Statement], mut from: Vec<Way>, home: &dyn Fn(usize) -> usize) -> Vec<Way> {
    for statement in body {
        from = from.into_iter().flat_map(|way| one(statement, way, home)).collect();
    }
    from
}

/// Def. 1: what a statement's events are.
fn one(statement: &Statement, mut way: Way, home: &dyn Fn(usize) -> usize) -> Vec<Way> {
    let none = Term::Number(0);
    match statement {
        Statement::Write(x, value) => {
            let written = way.term(value);
            way.event(Write, Some(*x), None, written);
        }
        Statement::Read(r, x) => {
            let read = way.event(Read, Some(*x), None, none);
            way.set(*r, Term::ReadBy(read, 0));
        }
        Statement::Cas(r, x, old, new) => {
            let mut fails = way.clone();
            let cas = way.event(Cas, Some(*x), None, Term::Number(*new));
            way.asks.push((Term::ReadBy(cas, 0), *old, true));
            way.set(*r, Term::ReadBy(cas, 0));
            fails.event(Fence, None, None, none);
            let read = fails.event(Read, Some(*x), None, none);
            fails.asks.push((Term::ReadBy(read, 0), *old, false));
            fails.set(*r, Term::ReadBy(read, 0));
            return vec![way, fails];
        }
        Statement::Mfence => _ = way.event(Fence, None, None, none),
        Statement::Get(x, y) => {
            let read = way.event(NicRemoteRead, Some(*y), Some(home(*y)), none);
            way.event(NicLocalWrite, Some(*x), Some(home(*y)), Term::ReadBy(read, 0));
        }
        Statement::Put(y, x) => {
            let read = way.event(NicLocalRead, Some(*x), Some(home(*y)), none);
            way.event(NicRemoteWrite, Some(*y), Some(home(*y)), Term::ReadBy(read, 0));
        }
        Statement::PutNumber(y, n) => {
            way.event(NicLocalRead, None, Some(home(*y)), none);
            way.event(NicRemoteWrite, Some(*y), Some(home(*y)), Term::Number(*n));
        }
        Statement::Poll(n) => _ = way.event(Poll, None, Some(*n), none),
        Statement::Rfence(n) => _ = way.event(NicFence, None, Some(*n), none),
        Statement::If(r, n, then, otherwise) => {
            let term = way.term(&Value::Register(*r, 0));
            let mut other = way.clone();
            way.asks.push((term, *n, true));
            other.asks.push((term, *n, false));
            let mut out = ways(then, vec![way], home);
            out.extend(ways(otherwise, vec![other], home));
            return out;
        }
        Statement::Choose(one, other) => {
            let mut out = ways(one, vec![way.clone()], home);
            out.extend(ways(other, vec![way], home));
            return out;
        }
    }
    vec![way]
}

/// A relation on at most 64 events.
type Relation = Vec<u64>;

fn is_cyclic(mut r: Relation) -> bool {
    close(&mut r);
    r.iter().enumerate().any(|(i, row)| row >> i & 1 == 1)
}

fn close(r: &mut [u64]) {
    for k in 0..r.len() {
        let through = r[k];
        for row in r.iter_mut() {
            if *row >> k & 1 == 1 {
                *row |= through;
            }
        }
    }
}

fn union(all: &[&Relation]) -> Relation {
    (0..all[0].len()).map(|i| all.iter().fold(0, |row, r| row | r[i])).collect()
}

/// Which nodes a model is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    Sc,
    Tso,
}

/// One choice of ways, as one list of events.
struct Whole {
    events: Vec<Event>,
    thread: Vec<usize>,
    asks: Vec<(Term, i64, bool)>,
    po: Relation,
    pf: Relation,
    ippo: Relation,
    oppo: Relation,
    own_pf: Relation,
}

/// The thread of initial writes.
const INITIAL: usize = usize::MAX;

impl Whole {
    /// None if a poll has nothing to poll (Def. 2).
    fn new(program: &Program, ways: &[&Way], nodes: Nodes) -> Option<Whole> {
        let mut events = vec![];
        let mut thread = vec![];
        let mut asks = vec![];
        for x in 0..program.locations.len() {
            events.push(Event {
                kind: Write,
                loc: Some(x),
                towards: None,
                written: Term::Number(program.locations[x].1),
            });
            thread.push(INITIAL);
        }
        for (t, way) in ways.iter().enumerate() {
            let first = events.len();
            let moved = |term: Term| match term {
                Term::ReadBy(e, n) => Term::ReadBy(e + first, n),
                number => number,
            };
            events.extend(way.events.iter().map(|e| Event { written: moved(e.written), ..e.clone() }));
            thread.extend(way.events.iter().map(|_| t));
            asks.extend(way.asks.iter().map(|(term, n, equal)| (moved(*term), *n, *equal)));
        }
        let size = events.len();
        assert!(size <= 64, "a small program");
        let relation = |holds: &dyn Fn(usize, usize) -> bool| -> Relation {
            (0..size).map(|a| (0..size).filter(|b| holds(a, *b)).fold(0, |row, b| row | 1 << b)).collect()
        };
        let in_po = |a: usize, b: usize| {
            thread[a] == INITIAL && thread[b] != INITIAL || thread[a] == thread[b] && thread[a] != INITIAL && a < b
        };
        let sqp = |a: usize, b: usize| {
            thread[a] == thread[b] && events[a].towards.is_some() && events[a].towards == events[b].towards
        };
        let kind = |e: usize| events[e].kind;
        // Polls take the oldest operation of their queue pair.
        let mut pf = vec![0; size];
        for p in (0..size).filter(|p| kind(*p) == Poll) {
            let polls_before = (0..p).filter(|q| kind(*q) == Poll && sqp(*q, p)).count();
            let polled = (0..p).filter(|w| kind(*w).is_nic_write() && sqp(*w, p)).nth(polls_before)?;
            pf[polled] |= 1 << p;
        }
        let own_pf = (0..size).map(|e| if kind(e) == NicLocalWrite { pf[e] } else { 0 }).collect();
        // Fig. 4; for TSO nodes, B.1.
        let ippo = |a: usize, b: usize| {
            kind(a).is_cpu()
                || sqp(a, b)
                    && !kind(b).is_cpu()
                    && match kind(a) {
                        NicLocalRead | NicFence => true,
                        NicRemoteWrite => kind(b) != NicLocalRead,
                        _ => matches!(kind(b), NicLocalWrite | NicFence),
                    }
        };
        let oppo = |a: usize, b: usize| {
            if kind(a).is_cpu() {
                return !(nodes == Nodes::Tso && kind(a) == Write && matches!(kind(b), Read | Poll));
            }
            ippo(a, b)
                && match kind(a) {
                    NicRemoteWrite | NicLocalWrite => kind(b) != NicFence,
                    _ => true,
                }
        };
        Some(Whole {
            po: relation(&in_po),
            ippo: relation(&|a, b| in_po(a, b) && ippo(a, b)),
            oppo: relation(&|a, b| in_po(a, b) && oppo(a, b)),
            pf,
            own_pf,
            events,
            thread,
            asks,
        })
    }

    /// What a term is, where reads have these writes; none if it hangs on itself.
    fn value(&self, term: Term, from: &[usize], deep: usize) -> Option<i64> {
        match term {
            Term::Number(n) => Some(n),
            Term::ReadBy(..) if deep > self.events.len() => None,
            Term::ReadBy(read, n) => Some(self.value(self.events[from[read]].written, from, deep + 1)? + n),
        }
    }

    fn fits(&self, from: &[usize]) -> bool {
        let holds = |(term, n, equal): &(Term, i64, bool)| {
            self.value(*term, from, 0).is_some_and(|value| (value == *n) == *equal)
        };
        self.asks.iter().all(holds)
    }

    /// Whether some execution of the model is not sequentially consistent; none if there are more than so many candidates.
    fn is_weak(&self, nodes: Nodes, most: u64) -> Option<bool> {
        let size = self.events.len();
        let reads: Vec<usize> =
            (0..size).filter(|e| self.events[*e].kind.reads() && self.events[*e].loc.is_some()).collect();
        let writes_of = |loc: Option<usize>| -> Vec<usize> {
            (0..size).filter(|w| self.events[*w].kind.writes() && self.events[*w].loc == loc).collect()
        };
        let sources: Vec<Vec<usize>> =
            reads.iter().map(|r| writes_of(self.events[*r].loc).into_iter().filter(|w| w != r).collect()).collect();
        let locations: Vec<usize> = (0..size).filter(|e| self.thread[*e] == INITIAL).collect();
        let orders: Vec<Vec<Vec<usize>>> = locations
            .iter()
            .map(|x| {
                let writes: Vec<usize> = writes_of(self.events[*x].loc).into_iter().filter(|w| w != x).collect();
                permutations(&writes).into_iter().map(|order| [vec![*x], order].concat()).collect()
            })
            .collect();
        let count = |all: &mut dyn Iterator<Item = usize>| all.fold(1u64, |n, of| n.saturating_mul(of as u64));
        let candidates =
            count(&mut sources.iter().map(Vec::len)).saturating_mul(count(&mut orders.iter().map(Vec::len)));
        if candidates > most {
            return None;
        }
        let mut choice = vec![0; reads.len()];
        loop {
            let mut from = vec![usize::MAX; size];
            for (i, read) in reads.iter().enumerate() {
                from[*read] = sources[i][choice[i]];
            }
            if self.fits(&from) && self.has_weak_order(nodes, &reads, &from, &orders) {
                return Some(true);
            }
            if !next(&mut choice, |i| sources[i].len()) {
                return Some(false);
            }
        }
    }

    fn has_weak_order(&self, nodes: Nodes, reads: &[usize], from: &[usize], orders: &[Vec<Vec<usize>>]) -> bool {
        let size = self.events.len();
        let mut rf = vec![0; size];
        for read in reads {
            rf[from[*read]] |= 1 << read;
        }
        let mut choice = vec![0; orders.len()];
        loop {
            let mut mo = vec![0; size];
            for (i, of) in orders.iter().enumerate() {
                let order = &of[choice[i]];
                for (k, w) in order.iter().enumerate() {
                    mo[*w] |= order[k + 1..].iter().fold(0, |row, later| row | 1u64 << later);
                }
            }
            let mut rb = vec![0; size];
            for read in reads {
                rb[*read] = mo[from[*read]] & !(1 << read);
            }
            // Def. 5
            if is_cyclic(union(&[&self.po, &rf, &rb, &mo])) && self.is_consistent(nodes, &rf, &mo, &rb) {
                return true;
            }
            if !next(&mut choice, |i| orders[i].len()) {
                return false;
            }
        }
    }

    /// Defs. 4 and 10, for some order of flushes.
    fn is_consistent(&self, nodes: Nodes, rf: &Relation, mo: &Relation, rb: &Relation) -> bool {
        let size = self.events.len();
        let kind = |e: usize| self.events[e].kind;
        let both = |a: usize, b: usize, one, other| kind(a) == one && kind(b) == other;
        let mut pairs = vec![];
        for a in 0..size {
            for b in 0..size {
                let one_end = both(a, b, NicLocalRead, NicLocalWrite) || both(a, b, NicRemoteRead, NicRemoteWrite);
                if one_end && self.thread[a] == self.thread[b] && self.events[a].towards == self.events[b].towards {
                    pairs.push((a, b));
                }
            }
        }
        let within = |r: &Relation, from: Kind, to: Kind| -> Relation {
            let holds =
                |a: usize, b: usize| r[a] >> b & 1 == 1 && both(a, b, from, to) && self.thread[a] == self.thread[b];
            (0..size).map(|a| (0..size).filter(|b| holds(a, *b)).fold(0, |row, b| row | 1u64 << b)).collect()
        };
        let own_rf = within(rf, Write, Read);
        let own_rb = within(rb, Read, Write);
        let instant = |e: usize| match nodes {
            Nodes::Sc => !kind(e).is_nic_write(),
            Nodes::Tso => !kind(e).is_nic_write() && kind(e) != Write,
        };
        for number in 0..1u64 << pairs.len() {
            let mut nfo = vec![0; size];
            for (i, (a, b)) in pairs.iter().enumerate() {
                let (first, then) = if number >> i & 1 == 0 { (*a, *b) } else { (*b, *a) };
                nfo[first] |= 1 << then;
            }
            let mut ib = union(&[&self.ippo, rf, &self.pf, &nfo]);
            if nodes == Nodes::Tso {
                ib = union(&[&ib, &own_rb]);
            }
            close(&mut ib);
            if ib.iter().enumerate().any(|(i, row)| row >> i & 1 == 1) {
                continue;
            }
            let issued: Relation = (0..size).map(|e| if instant(e) { ib[e] } else { 0 }).collect();
            let seen: Relation = match nodes {
                Nodes::Sc => rf.clone(),
                Nodes::Tso => (0..size).map(|e| rf[e] & !own_rf[e]).collect(),
            };
            if !is_cyclic(union(&[&self.oppo, &seen, &self.own_pf, &nfo, rb, mo, &issued])) {
                return true;
            }
        }
        false
    }
}

fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![vec![]];
    }
    let mut out = vec![];
    for (i, first) in of.iter().enumerate() {
        let rest: Vec<usize> = of.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, e)| *e).collect();
        out.extend(permutations(&rest).into_iter().map(|p| [vec![*first], p].concat()));
    }
    out
}

/// The next number whose digits have these bases; false behind the last one.
fn next(digits: &mut [usize], base: impl Fn(usize) -> usize) -> bool {
    for (i, digit) in digits.iter_mut().enumerate() {
        *digit += 1;
        if *digit < base(i) {
            return true;
        }
        *digit = 0;
    }
    false
}

/// Whether a program is robust (Defs. 5 and 11): no execution of any of its pre-executions is weak. None if it is too large for this.
pub(super) fn robust(program: &Program, nodes: Nodes, most: u64) -> Option<bool> {
    let home = |x: usize| program.locations[x].0;
    let all: Vec<Vec<Way>> = program.threads.iter().map(|(_, body)| ways(body, vec![Way::default()], &home)).collect();
    if all.iter().any(Vec::is_empty) {
        return Some(true);
    }
    let mut choice = vec![0; all.len()];
    let mut large = false;
    loop {
        let chosen: Vec<&Way> = all.iter().zip(&choice).map(|(ways, i)| &ways[*i]).collect();
        if let Some(whole) = Whole::new(program, &chosen, nodes) {
            match whole.is_weak(nodes, most) {
                Some(true) => return Some(false),
                Some(false) => {}
                None => large = true,
            }
        }
        if !next(&mut choice, |i| all[i].len()) {
            return (!large).then_some(true);
        }
    }
}

#[test]
fn robust_says_what_brute_force_over_the_definitions_says() {
    // LITMPI_RANDOM=20000 holds so many programs of each kind against it.
    let wanted: u64 = std::env::var("LITMPI_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(250);
    for (name, nodes) in [("rdma-sc", Nodes::Sc), ("rdma-tso", Nodes::Tso)] {
        let robustness = Robustness::new(name, &[] as &[&str]).unwrap_or_else(|r| panic!("{r}"));
        let (mut is, mut is_not, mut large) = (0, 0, 0);
        for seed in 0..wanted {
            let program = shaped::random(seed, 3, *[2, 3, 4, 5].get(seed as usize % 4).expect("one of four"));
            let text = program.text(&format!("shaped-{seed}"));
            let Some(expected) = robust(&program, nodes, 200_000) else {
                large += 1;
                continue;
            };
            let found = robustness
                .judge(&test(&text, &spec()), "default", Limits::default())
                .unwrap_or_else(|r| panic!("{r}\n{text}"));
            assert_eq!(found.robust, Some(expected), "{name}\n{text}");
            if expected { is += 1 } else { is_not += 1 }
        }
        eprintln!("{name}: {is} robust, {is_not} not, {large} too large");
        assert!(
            is.min(is_not) * 8 >= wanted && large * 8 <= wanted,
            "{name}: {is} robust, {is_not} not, {large} too large"
        );
    }
}
