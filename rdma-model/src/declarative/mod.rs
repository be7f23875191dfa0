//! A litmus test under a declarative model: every candidate execution, the consistent ones among them, their outcomes.
//!
//! An execution is a way through each thread (`unfold`), a write for each read to read from (`rf`), and what the model
//! chooses by `with` (`mo`, `nfo`); rdma-tso Defs. 4.1-4.3. The search chooses one edge at a time, and after each one
//! asks whether the model's checks fail for sure, so that a hopeless candidate is not completed. Values follow from
//! `rf`; a value that depends on itself has no execution. A poll with nothing to poll has no execution either: where
//! operational models end in a deadlock, there is no outcome here.
//!
//! Which write of a location is the last is told by the model's order `mo` (or `co`).

mod graph;
mod unfold;
mod value;

pub use graph::GIVEN;

use graph::{Graph, RF};
use litmpi_litmus::ast::{Observed, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::cat::{CatModel, Frame};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::program::Program;
use std::collections::BTreeSet;
use std::fmt;
use unfold::{Path, Paths, paths};
use value::Value;

/// How a test is run.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How often loops without a bound of their own are unrolled.
    pub unroll: u32,
    /// Puts of constants carry their data and make no NIC local read (rdma-tso App. A.11).
    pub inline: bool,
    /// Most candidates, complete or not, that are checked.
    pub candidates: u64,
    /// Most ways through one thread.
    pub paths: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { unroll: 4, inline: false, candidates: 50_000_000, paths: 100_000 }
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
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Loops => write!(f, "the unrolling of loops"),
            Limit::Paths(n) => write!(f, "{n} ways through a thread"),
            Limit::Candidates(n) => write!(f, "{n} candidate executions"),
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
    /// Limits that were hit; the set is complete if there is none.
    pub limits: Vec<Limit>,
}

impl Outcomes {
    /// Whether these are all outcomes.
    pub fn complete(&self) -> bool {
        self.limits.is_empty()
    }
}

/// A test, ready to be searched.
pub struct Declarative<'t> {
    test: &'t Test,
    model: &'t CatModel,
    program: Program,
    threads: Vec<Paths>,
    options: Options,
    /// The slot of the order of writes.
    order: usize,
}

impl<'t> Declarative<'t> {
    /// Loads a test. `model` was loaded with [`GIVEN`]; `decls` are those that the test was parsed with.
    ///
    /// # Errors
    /// An instruction without events; a model that does not order writes, or that says nothing of remote operations
    /// while the test has some.
    pub fn new(
        test: &'t Test,
        decls: &Instructions,
        model: &'t CatModel,
        options: Options,
    ) -> Result<Declarative<'t>, Report> {
        let Some(order) = model.choices.iter().find(|c| c.name == "mo" || c.name == "co").map(|c| c.slot) else {
            let d = Diagnostic::general(format!("the model {} does not order writes", model.name));
            return Err(d.help("add `with mo from orders((W * W) & loc \\ (W * IW))`").into());
        };
        let program = lower(test, options.unroll);
        let threads = (0..program.threads.len())
            .map(|t| paths(&program, t, decls, options.inline, options.paths))
            .collect::<Result<Vec<Paths>, Report>>()?;
        let remote = threads.iter().flat_map(|t| &t.list).any(|p| p.events.iter().any(|e| e.towards.is_some()));
        if remote && !["nlR", "nrW", "nrR", "nlW"].iter().any(|name| model.mentions(name)) {
            let d = Diagnostic::at(&test.span, format!("{} says nothing of remote operations", model.name));
            return Err(d.found("this test has some").help("use rdma-tso.cat").into());
        }
        Ok(Declarative { test, model, program, threads, options, order })
    }

    /// Every outcome.
    ///
    /// # Errors
    /// An integer overflow in a consistent execution; an observed record.
    pub fn outcomes(&self) -> Result<Outcomes, Report> {
        let mut out = Outcomes::default();
        if self.threads.iter().any(|t| t.cut) {
            out.limits.push(Limit::Loops);
        }
        if self.threads.iter().any(|t| t.many) {
            out.limits.push(Limit::Paths(self.options.paths));
        }
        // All combinations of ways, like the digits of a number.
        let sizes: Vec<usize> = self.threads.iter().map(|t| t.list.len()).collect();
        if sizes.contains(&0) {
            return Ok(out);
        }
        let mut digits = vec![0; sizes.len()];
        loop {
            let chosen: Vec<&Path> = self.threads.iter().zip(&digits).map(|(t, i)| &t.list[*i]).collect();
            let graph = Graph::new(&self.program, &chosen);
            Search::new(self, &graph, &mut out).run()?;
            let Some(next) = (0..digits.len()).find(|i| digits[*i] + 1 < sizes[*i]) else { break };
            digits[next] += 1;
            digits[..next].fill(0);
        }
        Ok(out)
    }
}

/// The search over one combination of ways.
struct Search<'s, 't> {
    of: &'s Declarative<'t>,
    graph: &'s Graph,
    out: &'s mut Outcomes,
    frame: Frame,
    /// Possible writes of each read, in the order of [`Graph::reads`].
    sources: Vec<Vec<usize>>,
    /// The write that each event reads from.
    from: Vec<Option<usize>>,
    /// Pairs whose order is open: slot, and the two events.
    pairs: Vec<(usize, usize, usize)>,
}

impl<'s, 't> Search<'s, 't> {
    fn new(of: &'s Declarative<'t>, graph: &'s Graph, out: &'s mut Outcomes) -> Search<'s, 't> {
        let mut frame = graph.frame(of.model);
        of.model.settle(&mut frame);
        let mut pairs = Vec::new();
        for choice in &of.model.choices {
            let open = &frame.high[choice.slot];
            pairs
                .extend(open.pairs().filter(|(a, b)| a < b && open.contains(*b, *a)).map(|(a, b)| (choice.slot, a, b)));
        }
        let sources = graph.reads.iter().map(|r| graph.sources(*r)).collect();
        Search { of, graph, out, frame, sources, from: vec![None; graph.size()], pairs }
    }

    fn run(&mut self) -> Result<(), Report> {
        if self.hopeless() { Ok(()) } else { self.read(0) }
    }

    /// Whether a check fails for sure, or the limit is hit.
    fn hopeless(&mut self) -> bool {
        let most = self.of.options.candidates;
        if self.out.candidates >= most {
            if !self.out.limits.contains(&Limit::Candidates(most)) {
                self.out.limits.push(Limit::Candidates(most));
            }
            return true;
        }
        self.out.candidates += 1;
        self.of.model.evaluate(&mut self.frame);
        self.of.model.failed(&self.frame, false).is_some()
    }

    /// Gives the reads from number `i` on their writes.
    fn read(&mut self, i: usize) -> Result<(), Report> {
        let Some(read) = self.graph.reads.get(i).copied() else { return self.order(0) };
        let sources = self.sources[i].clone();
        for other in &sources {
            self.frame.high[RF].remove(*other, read);
        }
        for write in &sources {
            self.from[read] = Some(*write);
            if self.graph.possible(&self.graph.values(&self.from)) {
                self.frame.low[RF].insert(*write, read);
                self.frame.high[RF].insert(*write, read);
                if !self.hopeless() {
                    self.read(i + 1)?;
                }
                self.frame.low[RF].remove(*write, read);
                self.frame.high[RF].remove(*write, read);
            }
        }
        self.from[read] = None;
        for other in &sources {
            self.frame.high[RF].insert(*other, read);
        }
        Ok(())
    }

    /// Orders the open pairs from number `i` on.
    fn order(&mut self, i: usize) -> Result<(), Report> {
        let Some((slot, a, b)) = self.pairs.get(i).copied() else { return self.complete() };
        for (first, second) in [(a, b), (b, a)] {
            self.frame.low[slot].insert(first, second);
            self.frame.high[slot].remove(second, first);
            if self.frame.low[slot].is_acyclic() && !self.hopeless() {
                self.order(i + 1)?;
            }
            self.frame.low[slot].remove(first, second);
            self.frame.high[slot].insert(second, first);
        }
        Ok(())
    }

    /// Nothing is open any more.
    fn complete(&mut self) -> Result<(), Report> {
        self.of.model.evaluate(&mut self.frame);
        if self.of.model.failed(&self.frame, true).is_some() {
            return Ok(());
        }
        let values = self.graph.values(&self.from);
        if values.contains(&Value::Circular) {
            return Ok(());
        }
        if self.graph.overflows(&values) {
            return Err(overflow(self.of.test));
        }
        let outcome = self.of.test.observed.iter().map(|o| self.observe(&o.what, &values)).collect::<Result<_, _>>()?;
        self.out.executions += 1;
        self.out.set.insert(Outcome::Values(outcome));
        Ok(())
    }

    fn observe(&self, what: &Observed, values: &[Value]) -> Result<i32, Report> {
        let value = match what {
            Observed::Loc(x) => {
                let order = &self.frame.low[self.of.order];
                let last = self.graph.writes_of(*x).find(|w| self.graph.writes_of(*x).all(|o| !order.contains(*w, o)));
                last.map_or(Value::Known(self.of.program.locs[*x].initial), |w| self.graph.written(w, values))
            }
            Observed::Reg(t, r, None) => self.graph.register(*t, *r, values),
            Observed::Reg(_, _, Some(field)) => {
                let d = Diagnostic::at(&self.of.test.span, format!("declarative models know no field `{field}`"));
                return Err(d.help("run the test under an operational model").into());
            }
        };
        if let Value::Known(v) = value { Ok(v) } else { Err(overflow(self.of.test)) }
    }
}

fn overflow(test: &Test) -> Report {
    Diagnostic::at(&test.span, "an integer overflows in an execution of this test").help("integers have 32 bits").into()
}
