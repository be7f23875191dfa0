//! A litmus test under a declarative model: every candidate execution, the consistent ones among them, their outcomes.
//!
//! An execution is a way through each thread ([`Programs`] say which events an instruction has; `unfold`), a write for
//! each read to read from (`rf`), and what the model chooses by `with` (`mo`, `nfo`); rdma-tso Defs. 4.1-4.3. The search
//! chooses one edge at a time, and after each one asks whether the model's checks fail for sure, so that a hopeless
//! candidate is not completed. Values follow from `rf`; a value that depends on itself has no execution. A poll with
//! nothing to poll has no execution either: where operational models end in a deadlock, there is no outcome here.
//!
//! Two names of a model mean something here: its order `mo` (or `co`) tells which write of a location is the last, and
//! the reads in its set `undefined`, if it has one, give the undefined value (core-rma §5.3, ⊤), which may pass any
//! condition.
//!
//! [`Declarative::outcomes`] gives the outcomes, [`Declarative::witness`] a consistent execution with a wanted one, and
//! [`Declarative::why_not`] what forbids it in each candidate that would give it.

mod condition;
mod execution;
mod graph;
mod programs;
mod search;
mod unfold;
mod value;
mod why;

pub use condition::{Against, Broken, Place};
pub use execution::{Event, Execution};
pub use programs::Programs;
pub use why::{Forbidden, Found, Rejected};

use crate::{CatModel, Check};
use graph::Graph;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::program::Program;
use search::{Candidate, Judge, Progress, Search};
use std::collections::BTreeSet;
use std::fmt;
use unfold::{Path, Paths, paths};

/// How a test is run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How often loops without a bound of their own are unrolled.
    pub unroll: u32,
    /// Most candidates, complete or not, that are checked.
    pub candidates: u64,
    /// Most ways through one thread.
    pub paths: usize,
    /// The order in which choices are tried: 0 is that of the program, any other number another one. What a search finds in the end does not
    /// hang on it, what it finds first does.
    pub order: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { unroll: 4, candidates: 50_000_000, paths: 100_000, order: 0 }
    }
}

/// A limit that was hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// A loop of the program was unrolled no further.
    Loops,
    /// This many ways through a thread.
    Paths(usize),
    /// This many candidates.
    Candidates(u64),
    /// This many reasons against an outcome were kept.
    Reasons(usize),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Loops => write!(f, "the unrolling of loops"),
            Limit::Paths(n) => write!(f, "{n} ways through a thread"),
            Limit::Candidates(n) => write!(f, "{n} candidate executions"),
            Limit::Reasons(n) => write!(f, "{n} reasons"),
        }
    }
}

/// What a search gives.
#[derive(Debug, Clone, Default)]
pub struct Outcomes {
    /// The outcomes of the consistent executions.
    pub set: BTreeSet<Outcome>,
    /// How many consistent executions there are.
    pub executions: u64,
    /// How many candidates were checked, complete or not.
    pub candidates: u64,
    /// Flags of the model that some consistent execution raises.
    pub flags: BTreeSet<String>,
    /// Limits that were hit; the set is complete if there is none.
    pub limits: Vec<Limit>,
}

impl Outcomes {
    /// Whether these are all outcomes.
    pub fn complete(&self) -> bool {
        self.limits.is_empty()
    }
}

impl Judge for Outcomes {
    const EARLY: bool = true;

    fn wants(&mut self, _: &Candidate<'_, '_>) -> bool {
        true
    }

    fn rejected(&mut self, _: &Candidate<'_, '_>, _: &Check) {}

    fn consistent(&mut self, candidate: &Candidate<'_, '_>, outcome: Outcome) -> bool {
        self.executions += 1;
        self.set.insert(outcome);
        self.flags.extend(candidate.of.model.raised(&candidate.frame, true).map(|f| f.name.clone()));
        true
    }
}

/// A test, ready to be searched.
pub struct Declarative<'t> {
    test: &'t Test,
    model: &'t CatModel,
    programs: &'t Programs,
    program: Program,
    threads: Vec<Paths>,
    options: Options,
    /// The slot of the order of writes.
    order: usize,
    /// The slot of what is undefined.
    undefined: Option<usize>,
}

impl<'t> Declarative<'t> {
    /// Loads a test. `model` was loaded with [`Programs::given`], and the test parsed with the instructions of the same
    /// programs.
    ///
    /// # Errors
    /// An instruction without events; a model that does not order writes, or that says nothing of a key that events of
    /// the test have; a test that the model flags as none of its own.
    pub fn new(
        test: &'t Test,
        programs: &'t Programs,
        model: &'t CatModel,
        options: Options,
    ) -> Result<Declarative<'t>, Report> {
        let Some(order) = model.order() else {
            let d = Diagnostic::general(format!("the model {} does not order writes", model.name));
            return Err(d.help("add `with mo from orders((W * W) & loc \\ (W * IW))`, or include \"cos.cat\"").into());
        };
        let program = lower(test, Some(options.unroll));
        let threads = (0..program.threads.len())
            .map(|t| paths(&program, t, programs, options.paths))
            .collect::<Result<Vec<Paths>, Report>>()?;
        let mut events = threads.iter().flat_map(|t| &t.list).flat_map(|p| &p.events);
        let silent = events.find_map(|e| e.keys.iter().find(|(key, _)| !model.mentions(key)).map(|(key, _)| (e, key)));
        if let Some((event, key)) = silent {
            let d = Diagnostic::at(&event.span, format!("{} says nothing of `{key}`", model.name));
            let found = "the events of this are told apart by it";
            return Err(d.found(found).help("use a model that does, such as rdma-tso.cat").into());
        }
        let undefined = model.slot("undefined");
        let declarative = Declarative { test, model, programs, program, threads, options, order, undefined };
        declarative.flagged()?;
        Ok(declarative)
    }

    /// Searches with at most so many candidates from now on, in this order ([`Options::order`]).
    pub fn limit(&mut self, candidates: u64, order: u64) {
        self.options = Options { candidates, order, ..self.options };
    }

    /// Refuses a test that raises a flag by its events alone, in whatever way of a thread.
    fn flagged(&self) -> Result<(), Report> {
        if self.model.flags.iter().all(|f| f.open) || self.threads.iter().any(|t| t.list.is_empty()) {
            return Ok(());
        }
        let first: Vec<&Path> = self.threads.iter().map(|t| &t.list[0]).collect();
        for (t, ways) in self.threads.iter().enumerate() {
            for way in &ways.list {
                let mut chosen = first.clone();
                chosen[t] = way;
                let graph = Graph::new(&self.program, self.programs.bits, &chosen, &self.test.span);
                let mut frame = graph.frame(self.programs, self.model);
                self.model.settle(&mut frame);
                if let Some(flag) = self.model.raised(&frame, false).next() {
                    // The statement that raises it, if it is one event that does.
                    let first = flag.against(&frame).into_iter().find(|_| flag.negated);
                    let span = first.map_or(&self.test.span, |(event, _)| &graph.events[event].span);
                    let d = Diagnostic::at(span, format!("{} is no model of this test", self.model.name));
                    let flagged = format!("the test raises its flag `{}`", flag.name);
                    return Err(d.found(flagged).help(format!("see {}", flag.span)).into());
                }
            }
        }
        Ok(())
    }

    /// Every outcome.
    ///
    /// # Errors
    /// An integer overflow, or a remainder by 0, in a consistent execution; an observed record.
    pub fn outcomes(&self) -> Result<Outcomes, Report> {
        let mut out = Outcomes::default();
        let progress = self.search(&mut out)?;
        Ok(Outcomes { candidates: progress.candidates, limits: progress.limits, ..out })
    }

    /// Searches every combination of ways.
    fn search<J: Judge>(&self, judge: &mut J) -> Result<Progress, Report> {
        let mut progress = Progress { limits: self.limits(), ..Progress::default() };
        self.each_pre_execution(|graph| {
            Search::new(self, graph, judge, &mut progress).run()?;
            Ok(!progress.stopped)
        })?;
        Ok(progress)
    }

    /// Limits of the ways through threads.
    fn limits(&self) -> Vec<Limit> {
        let loops = self.threads.iter().any(|t| t.cut).then_some(Limit::Loops);
        let paths = self.threads.iter().any(|t| t.many).then_some(Limit::Paths(self.options.paths));
        loops.into_iter().chain(paths).collect()
    }

    /// Puts the ways of all threads together in every combination, until `visit` says that it was enough.
    fn each_pre_execution(&self, mut visit: impl FnMut(&Graph) -> Result<bool, Report>) -> Result<(), Report> {
        // All combinations of ways, like the digits of a number.
        let sizes: Vec<usize> = self.threads.iter().map(|t| t.list.len()).collect();
        if sizes.contains(&0) {
            return Ok(());
        }
        let mut digits = vec![0; sizes.len()];
        loop {
            let chosen: Vec<&Path> = self.threads.iter().zip(&digits).map(|(t, i)| &t.list[*i]).collect();
            if !visit(&Graph::new(&self.program, self.programs.bits, &chosen, &self.test.span))? {
                return Ok(());
            }
            let Some(next) = (0..digits.len()).find(|i| digits[*i] + 1 < sizes[*i]) else { return Ok(()) };
            digits[next] += 1;
            digits[..next].fill(0);
        }
    }
}
