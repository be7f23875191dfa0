//! The search over the candidates of one combination of ways: a write for each read, then what the model chooses.

use super::graph::Graph;
use super::programs::RF;
use super::value::Value;
use super::{Declarative, Limit};
use crate::{Check, Frame, Pick};
use litmpi_engine::search::Random;
use litmpi_litmus::ast::{Observed, Outcome};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::integers::NoValue;

/// What is done with candidates. Their frame holds what is chosen so far.
pub(super) trait Judge {
    /// Whether checks are asked before every read has its write.
    const EARLY: bool;

    /// Whether a candidate is of interest, as far as it is chosen; asked when every read has its write.
    fn wants(&mut self, candidate: &Candidate<'_, '_>) -> bool;

    /// The check fails on the candidate, and on whatever completes it.
    fn rejected(&mut self, candidate: &Candidate<'_, '_>, check: &Check);

    /// A consistent execution; whether to go on.
    fn consistent(&mut self, candidate: &Candidate<'_, '_>, outcome: Outcome) -> bool;
}

/// How far a search has come, over all combinations.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) candidates: u64,
    pub(super) limits: Vec<Limit>,
    pub(super) stopped: bool,
}

/// A candidate execution, perhaps not complete.
pub(super) struct Candidate<'s, 't> {
    pub(super) of: &'s Declarative<'t>,
    pub(super) graph: &'s Graph,
    pub(super) frame: Frame,
    /// The write that each event reads from.
    pub(super) from: Vec<Option<usize>>,
}

impl Candidate<'_, '_> {
    /// What is known of the values read.
    pub(super) fn values(&self) -> Vec<Value> {
        let frame = &self.frame;
        let race = |e: usize| match self.of.undefined {
            Some(slot) if frame.low[slot].contains(e, e) => Some(true),
            Some(slot) if frame.high[slot].contains(e, e) => None,
            _ => Some(false),
        };
        self.graph.values(&self.from, &race)
    }

    /// The writes of a location that may be its last.
    fn last(&self, loc: usize) -> Vec<usize> {
        let order = &self.frame.low[self.of.order];
        let writes: Vec<usize> = self.graph.writes_of(loc).collect();
        let is_last = |w: &usize| writes.iter().all(|o| !order.contains(*w, *o));
        writes.iter().copied().filter(is_last).collect()
    }

    /// The values that an observable may end with, as far as is known; nothing if any.
    pub(super) fn ends(&self, what: &Observed, values: &[Value]) -> Option<Vec<Value>> {
        match what {
            Observed::Loc(x) => {
                let last = self.last(*x);
                if last.is_empty() {
                    return Some(vec![Value::Known(self.of.program.locs[*x].initial)]);
                }
                let ends: Vec<Value> = last.iter().map(|w| self.graph.written(*w, values)).collect();
                (self.of.undefined.is_none() && !ends.contains(&Value::Open)).then_some(ends)
            }
            Observed::Reg(t, r, _) => match self.graph.register(*t, *r, values) {
                Value::Open => None,
                value => Some(vec![value]),
            },
        }
    }

    /// What an observable ends with in a complete candidate.
    fn observe(&self, what: &Observed, values: &[Value]) -> Result<Option<i64>, Report> {
        let value = match what {
            Observed::Loc(x) => match self.last(*x).as_slice() {
                [] => Value::Known(self.of.program.locs[*x].initial),
                [w] if !self.of.undefined.is_some_and(|slot| self.frame.low[slot].contains(*w, *w)) => {
                    self.graph.written(*w, values)
                }
                // Writes race for the last place.
                _ => Value::Undefined,
            },
            Observed::Reg(t, r, None) => self.graph.register(*t, *r, values),
            Observed::Reg(_, _, Some(field)) => {
                let d = Diagnostic::at(&self.of.test.span, format!("declarative models know no field `{field}`"));
                return Err(d.help("run the test under an operational model").into());
            }
        };
        match value {
            Value::Known(v) => Ok(Some(v)),
            Value::Undefined => Ok(None),
            Value::None(why) => Err(self.without_value(why)),
            Value::Open | Value::Circular => Err(self.without_value(NoValue::Overflow)),
        }
    }

    fn without_value(&self, why: NoValue) -> Report {
        let (what, help) = match why {
            NoValue::Overflow => {
                let has = format!("integers have {} bits", self.of.programs.bits);
                ("an integer overflows in an execution of this test", has)
            }
            NoValue::ModuloByZero => (
                "a remainder by 0 is taken in an execution of this test",
                "test the divisor before, or give it another value".to_owned(),
            ),
        };
        // Of candidates it is known what they compute, not where: by 0 it may be the first one.
        let at = if why == NoValue::ModuloByZero { self.of.test.remainder() } else { None };
        Diagnostic::at(at.unwrap_or(&self.of.test.span), what).help(help).into()
    }

    /// The outcome of a complete candidate.
    fn outcome(&self, values: &[Value]) -> Result<Outcome, Report> {
        let observed = &self.of.test.observed;
        let ends = observed.iter().map(|o| self.observe(&o.what, values)).collect::<Result<Vec<_>, _>>()?;
        Ok(Outcome::of_values(ends))
    }
}

/// A pair whose order is open: the slot, the two events, and what is chosen.
type Pair = (usize, usize, usize, Pick);

/// Whether a pair may be put either way round.
fn is_open(frame: &Frame, (slot, a, b): (usize, usize, usize)) -> bool {
    frame.high[slot].contains(a, b) && frame.high[slot].contains(b, a)
}

fn shuffle<T>(all: &mut [T], random: &mut Random) {
    for i in (1..all.len()).rev() {
        let with = usize::try_from(random.below(i as u64 + 1)).expect("an index");
        all.swap(i, with);
    }
}

/// The search.
pub(super) struct Search<'s, 't, J> {
    candidate: Candidate<'s, 't>,
    judge: &'s mut J,
    progress: &'s mut Progress,
    /// Possible writes of each read, in the order of [`Graph::reads`].
    sources: Vec<Vec<usize>>,
    pairs: Vec<Pair>,
    /// Pairs that were put one way round, with the first of them first.
    put: Vec<(usize, usize, usize)>,
}

impl<'s, 't, J: Judge> Search<'s, 't, J> {
    pub(super) fn new(
        of: &'s Declarative<'t>,
        graph: &'s Graph,
        judge: &'s mut J,
        progress: &'s mut Progress,
    ) -> Search<'s, 't, J> {
        let mut frame = graph.frame(of.programs, of.model);
        of.model.settle(&mut frame);
        let mut pairs = Vec::new();
        for choice in &of.model.choices {
            let open = &frame.high[choice.slot];
            let both = open.pairs().filter(|(a, b)| a < b && open.contains(*b, *a));
            pairs.extend(both.map(|(a, b)| (choice.slot, a, b, choice.pick)));
        }
        let mut sources: Vec<Vec<usize>> = graph.reads.iter().map(|r| graph.sources(*r)).collect();
        if of.options.order > 0 {
            let mut random = Random::new(of.options.order, 0);
            sources.iter_mut().for_each(|writes| shuffle(writes, &mut random));
            shuffle(&mut pairs, &mut random);
            pairs.iter_mut().filter(|_| random.below(2) == 0).for_each(|(_, a, b, _)| std::mem::swap(a, b));
        }
        let candidate = Candidate { of, graph, frame, from: vec![None; graph.size()] };
        Search { candidate, judge, progress, sources, pairs, put: vec![] }
    }

    pub(super) fn run(&mut self) -> Result<(), Report> {
        let of = self.candidate.of;
        if let Some(check) = of.model.failed_at_once(&self.candidate.frame) {
            self.judge.rejected(&self.candidate, check);
            return Ok(());
        }
        if self.goes_on(J::EARLY) { self.read(0) } else { Ok(()) }
    }

    /// Whether there is no more to look for here. What fails is said to the judge.
    fn hopeless(&mut self, asked: bool) -> bool {
        let most = self.candidate.of.options.candidates;
        if self.progress.stopped {
            return true;
        }
        if self.progress.candidates >= most {
            self.progress.limits.push(Limit::Candidates(most));
            self.progress.stopped = true;
            return true;
        }
        self.progress.candidates += 1;
        let model = self.candidate.of.model;
        model.evaluate(&mut self.candidate.frame);
        match model.failed(&self.candidate.frame) {
            Some(check) if asked => {
                self.judge.rejected(&self.candidate, check);
                true
            }
            _ => false,
        }
    }

    /// Whether there is more to look for here. Where checks are asked early, pairs that a check leaves only one way round are put so.
    fn goes_on(&mut self, asked: bool) -> bool {
        while !self.hopeless(asked) {
            if !J::EARLY || !self.put_what_is_left() {
                return true;
            }
        }
        false
    }

    /// Puts pairs in the way that is left to them: the other way would close a cycle that a check forbids. Whether there were any.
    fn put_what_is_left(&mut self) -> bool {
        let mut left = vec![];
        let frame = &self.candidate.frame;
        for order in &self.candidate.of.model.orders {
            let known = order.known(frame);
            for (slot, a, b, pick) in &self.pairs {
                if *pick == Pick::Total && order.slots.contains(slot) && is_open(frame, (*slot, *a, *b)) {
                    left.extend(known.contains(*a, *b).then_some((*slot, *a, *b)));
                    left.extend(known.contains(*b, *a).then_some((*slot, *b, *a)));
                }
            }
        }
        for pair in &left {
            if is_open(&self.candidate.frame, *pair) {
                self.put(*pair);
            }
        }
        !left.is_empty()
    }

    fn put(&mut self, (slot, first, second): (usize, usize, usize)) {
        self.candidate.frame.low[slot].insert(first, second);
        self.candidate.frame.high[slot].remove(second, first);
        self.put.push((slot, first, second));
    }

    /// Takes back what was put since there were so many.
    fn take_back(&mut self, since: usize) {
        for (slot, first, second) in self.put.drain(since..) {
            self.candidate.frame.low[slot].remove(first, second);
            self.candidate.frame.high[slot].insert(second, first);
        }
    }

    /// Those of some writes that a read may read from, as far as what is known goes: it may not be ordered before them.
    fn may_read(&self, read: usize, writes: &[usize]) -> Vec<usize> {
        let orders = self.candidate.of.model.orders.iter().filter(|o| J::EARLY && o.slots.contains(&RF));
        let known: Vec<_> = orders.map(|order| order.known(&self.candidate.frame)).collect();
        let may = |write: &usize| known.iter().all(|k| !k.contains(read, *write));
        writes.iter().copied().filter(may).collect()
    }

    /// Gives the reads from number `i` on their writes.
    fn read(&mut self, i: usize) -> Result<(), Report> {
        let Some(read) = self.candidate.graph.reads.get(i).copied() else {
            let go_on = J::EARLY || self.judge.wants(&self.candidate) && !self.hopeless(true);
            return if go_on { self.order(0) } else { Ok(()) };
        };
        let sources = std::mem::take(&mut self.sources[i]);
        for other in &sources {
            self.candidate.frame.high[RF].remove(*other, read);
        }
        // Definitions are of the state before, in which the read had all its writes.
        let possible = self.may_read(read, &sources);
        for write in &possible {
            self.candidate.from[read] = Some(*write);
            if self.candidate.graph.possible(&self.candidate.values()) {
                self.candidate.frame.low[RF].insert(*write, read);
                self.candidate.frame.high[RF].insert(*write, read);
                let since = self.put.len();
                if self.goes_on(J::EARLY) {
                    self.read(i + 1)?;
                }
                self.take_back(since);
                self.candidate.frame.low[RF].remove(*write, read);
                self.candidate.frame.high[RF].remove(*write, read);
            }
        }
        self.candidate.from[read] = None;
        for other in &sources {
            self.candidate.frame.high[RF].insert(*other, read);
        }
        self.sources[i] = sources;
        Ok(())
    }

    /// Orders the open pairs from number `i` on.
    fn order(&mut self, i: usize) -> Result<(), Report> {
        let is_left = |(slot, a, b, _): &Pair| is_open(&self.candidate.frame, (*slot, *a, *b));
        let Some(i) = (i..self.pairs.len()).find(|i| is_left(&self.pairs[*i])) else { return self.complete() };
        let (slot, a, b, pick) = self.pairs[i];
        for (first, second) in [(a, b), (b, a)] {
            let since = self.put.len();
            self.put((slot, first, second));
            if self.candidate.frame.low[slot].is_acyclic() && self.goes_on(true) {
                self.order(i + 1)?;
            }
            self.take_back(since);
        }
        if pick == Pick::Partial {
            let since = self.put.len();
            let both = [(a, b), (b, a)];
            both.iter().for_each(|(x, y)| self.candidate.frame.high[slot].remove(*x, *y));
            if self.goes_on(true) {
                self.order(i + 1)?;
            }
            self.take_back(since);
            both.iter().for_each(|(x, y)| self.candidate.frame.high[slot].insert(*x, *y));
        }
        Ok(())
    }

    /// Nothing is open any more, and no check was found to fail when the last choice was made.
    fn complete(&mut self) -> Result<(), Report> {
        let candidate = &self.candidate;
        let values = candidate.values();
        if values.contains(&Value::Circular) || !candidate.graph.possible(&values) || !self.judge.wants(candidate) {
            return Ok(());
        }
        if let Some(check) = candidate.of.model.failed_at_last(&candidate.frame) {
            self.judge.rejected(candidate, check);
            return Ok(());
        }
        if let Some(why) = candidate.graph.without_value(&values) {
            return Err(candidate.without_value(why));
        }
        let outcome = candidate.outcome(&values)?;
        if !self.judge.consistent(candidate, outcome) {
            self.progress.stopped = true;
        }
        Ok(())
    }
}
