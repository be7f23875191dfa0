//! What a smaller program must still show: that two models differ, or that a target does what the model forbids.

use crate::args::RunArgs;
use crate::explain::wanted;
use crate::load::{Loaded, limits};
use crate::parallel;
use crate::run::{expected_by, labels, plan, size};
use crate::targets::runtime;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::golden::DEFAULT;
use litmpi_litmus::{Asked, check_names, parse};
use litmpi_models::{Limits, Model};
use litmpi_runner::{Observed, PlannedTest, RunError, RunResult, Target, interruption};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// Tells programs that still show it.
pub(crate) trait Shows {
    /// How many programs are asked about at once.
    fn batch(&self) -> usize;
    /// The first of these programs that shows it.
    ///
    /// # Errors
    /// A run that a signal ended, or that could not be made.
    fn first(&mut self, programs: &[Arc<Source>]) -> Result<Option<usize>, Report>;
    /// Whether the time for it is over, or a signal has come: the smallest program so far is kept.
    fn is_over(&self) -> bool {
        interruption().is_some()
    }
}

/// A model under a variant.
pub(crate) struct Side {
    /// As the user named it.
    pub(crate) name: String,
    pub(crate) model: Model,
    pub(crate) variant: String,
}

impl Side {
    /// `NAME[:VARIANT]`, where the name of a declarative model is that of its `.cat` file.
    ///
    /// # Errors
    /// A model or variant that there is not.
    pub(crate) fn named(name: &str) -> Result<Side, Report> {
        let (model, variant) = name.split_once(':').unwrap_or((name, DEFAULT));
        let read = Model::named(model)?;
        read.knows_variant(variant)?;
        Ok(Side { name: name.to_owned(), model: read, variant: variant.to_owned() })
    }

    /// All outcomes of a program; none if it is none of the model's, or has too many.
    pub(crate) fn outcomes(&self, source: &Arc<Source>, limits: Limits) -> Option<(Test, BTreeSet<Outcome>)> {
        match self.says(source, limits) {
            Says::All(test, set) => Some((*test, set)),
            Says::Undecided | Says::NotRun => None,
        }
    }

    /// What the model says of a program.
    pub(crate) fn says(&self, source: &Arc<Source>, limits: Limits) -> Says {
        let runs = || {
            let test = parse(source, self.model.instructions()).ok()?;
            check_names(source, self.model.instructions(), Asked::Outcomes).ok()?;
            self.model.runs(&test, limits).ok()?;
            Some(test)
        };
        let Some(test) = runs() else { return Says::NotRun };
        match self.model.answer(&test, &self.variant, limits) {
            Ok(answer) if answer.complete() => Says::All(Box::new(test), answer.set),
            Ok(_) => Says::Undecided,
            Err(_) => Says::NotRun,
        }
    }
}

/// What a model says of a program.
pub(crate) enum Says {
    /// All its outcomes.
    All(Box<Test>, BTreeSet<Outcome>),
    /// A bound was reached first.
    Undecided,
    /// It is none of the model's, or a fault of it.
    NotRun,
}

/// Outcomes that one of two models alone allows.
pub(crate) struct Difference {
    pub(crate) test: Test,
    /// Of the first alone, of the second alone.
    pub(crate) only: [BTreeSet<Outcome>; 2],
}

/// What two models say of a program that is not the same; none if they agree, or one of them cannot say.
fn difference(sides: &[Side; 2], source: &Arc<Source>, limits: Limits) -> Option<Difference> {
    let [one, other] = sides.each_ref().map(|side| side.says(source, limits));
    apart(sides, one, other)
}

/// In what two models' answers differ. Deadlocks are left out where one of them knows none.
pub(crate) fn apart([a, b]: &[Side; 2], one: Says, other: Says) -> Option<Difference> {
    let (Says::All(test, mut one), Says::All(_, mut other)) = (one, other) else { return None };
    if !a.model.knows_deadlock() || !b.model.knows_deadlock() {
        one.remove(&Outcome::Deadlock);
        other.remove(&Outcome::Deadlock);
    }
    let only = [one.difference(&other).cloned().collect(), other.difference(&one).cloned().collect()];
    only.iter().any(|o: &BTreeSet<_>| !o.is_empty()).then_some(Difference { test: *test, only })
}

/// Two models that differ.
pub(crate) struct Between<'a> {
    pub(crate) sides: &'a [Side; 2],
    /// Only by this outcome.
    pub(crate) outcome: Option<&'a str>,
    pub(crate) limits: Limits,
    pub(crate) jobs: Option<usize>,
}

impl Between<'_> {
    /// What the difference is, if it is one that is asked for.
    pub(crate) fn ask(&self, source: &Arc<Source>) -> Option<Difference> {
        let found = difference(self.sides, source, self.limits)?;
        let Some(text) = self.outcome else { return Some(found) };
        let prop = wanted(&found.test, Some(text)).ok()?;
        found.only.iter().flatten().any(|o| prop.holds(o)).then_some(found)
    }
}

impl Shows for Between<'_> {
    fn batch(&self) -> usize {
        4 * parallel::threads(self.jobs)
    }

    fn first(&mut self, programs: &[Arc<Source>]) -> Result<Option<usize>, Report> {
        let asked = |p: &Arc<Source>| interruption().is_none() && self.ask(p).is_some();
        Ok(parallel::map(programs, self.jobs, "trying", asked).iter().position(|shows| *shows))
    }
}

/// A target that does what the model forbids.
pub(crate) struct OnTarget<'a> {
    pub(crate) args: &'a RunArgs,
    pub(crate) target: &'a Target,
    /// A test as it was loaded: the model that smaller ones are loaded under.
    pub(crate) base: &'a Loaded,
    pub(crate) variant: &'a str,
    /// Bytes a value.
    pub(crate) sizes: Vec<u64>,
    /// How long each program runs.
    pub(crate) millis: u64,
    /// What is looked for: sorts of outcomes, and one of the user's.
    pub(crate) sorts: BTreeSet<&'static str>,
    pub(crate) outcome: Option<&'a str>,
    /// When it is enough.
    pub(crate) until: Option<Instant>,
    /// What the smallest program that showed it did.
    pub(crate) last: Option<RunResult>,
}

/// A program with more states is not tried.
const STATES: usize = 100_000;

/// What sort of wrong an outcome is: a smaller program must show the same one.
pub(crate) fn sort(observed: &Observed) -> &'static str {
    match observed {
        Observed::Values(_) => "values",
        Observed::Deadlock => "hang",
        Observed::Cut => "cut",
        Observed::Error(_) => "error",
        Observed::Corrupt(_) => "corrupt",
    }
}

impl OnTarget<'_> {
    /// A program under the model of the test that is made smaller; none if it cannot be run against it.
    pub(crate) fn load(&self, source: &Arc<Source>) -> Option<Loaded> {
        let test = parse(source, &self.base.spec.instructions).ok()?;
        check_names(source, &self.base.spec.instructions, Asked::Outcomes).ok()?;
        self.base.model.runs(&test, limits(&self.args.model)).ok()?;
        Some(Loaded { test: Arc::new(test), ..self.base.clone() })
    }

    /// Runs programs; of each, by its place, what it did in the size where it did most that is forbidden.
    ///
    /// # Errors
    /// A signal; a target on which nothing can be run.
    pub(crate) fn run(&self, programs: &[Arc<Source>]) -> Result<BTreeMap<usize, RunResult>, Report> {
        let planned = parallel::map(programs, self.args.model.bounds.jobs, "enumerating", |source| {
            let loaded = self.load(source)?;
            let mut setup = loaded.setup(&self.args.model, self.variant);
            setup.bounds.states = setup.bounds.states.min(STATES);
            let expected = expected_by(&loaded, setup).ok()?;
            (expected.complete && !expected.erroneous).then_some((loaded, expected))
        });
        let (mut tests, mut all, mut at) = (vec![], vec![], vec![]);
        for (i, (loaded, expected)) in planned.into_iter().enumerate().filter_map(|(i, p)| Some((i, p?))) {
            let mut test = (*loaded.test).clone();
            test.name = format!("{}-{i}", test.name);
            let test = Arc::new(test);
            tests.push(PlannedTest {
                test: Arc::clone(&test),
                expected,
                labels: labels(&loaded, self.variant),
                stress: BTreeMap::new(),
            });
            at.push((test.name.clone(), i));
            all.push(Loaded { test, ..loaded });
        }
        if tests.is_empty() {
            return Ok(BTreeMap::new());
        }
        let family = self.base.test.family.clone();
        let targets = [self.target.clone()];
        let mut plan = plan(&family, tests, &all, &targets, &self.sizes, (self.args, self.variant));
        plan.budget.millis = self.millis;
        // A hang costs seconds: one is enough.
        if self.sorts.contains("hang") {
            (plan.retry, plan.budget.launches, plan.budget.deadlocks) = (false, 1, 1);
        }
        plan.out_dir = self.args.out.join("tried");
        let results = match runtime().block_on(litmpi_runner::run(&plan, |_| {})) {
            Ok(results) => results,
            Err(RunError::Interrupted(signal)) => {
                return Err(Diagnostic::general(format!("signal {signal} ended the run")).into());
            }
            Err(e) => return Err(Diagnostic::general(e.to_string()).into()),
        };
        let mut out: BTreeMap<usize, RunResult> = BTreeMap::new();
        for result in results {
            let Some((_, i)) = at.iter().find(|(name, _)| *name == result.test) else { continue };
            let more = out.get(i).is_none_or(|old| wrong(old) < wrong(&result));
            if more {
                out.insert(*i, result);
            }
        }
        Ok(out)
    }

    /// Whether a result is what is looked for: a violation of the same sort, and of the outcome that the user named.
    pub(crate) fn is_it(&self, result: &RunResult, test: &Test) -> bool {
        let is = |o: &Observed| {
            let named = match (self.outcome, o.outcome()) {
                (None, _) => true,
                (Some(text), Some(outcome)) => wanted(test, Some(text)).is_ok_and(|p| p.holds(&outcome)),
                (Some(text), None) => o.show(test).starts_with(text.trim()),
            };
            let shown = match o {
                // Whoever has no harness sees what is wrong with memory by what the program shows of it.
                Observed::Corrupt(what) if what.contains(": element") => {
                    let name = what.split(" of rank ").next().unwrap_or_default();
                    test.observed.iter().any(|o| o.name.rsplit(':').next() == Some(name))
                }
                _ => true,
            };
            shown && named && (self.sorts.is_empty() || self.sorts.contains(sort(o)))
        };
        result.is_bad() && result.forbidden().any(|o| is(&o.observed))
    }
}

/// How often something came that is forbidden.
pub(crate) fn wrong(result: &RunResult) -> u64 {
    if result.is_bad() { result.forbidden().map(|o| o.tally.count).sum::<u64>().max(1) } else { 0 }
}

impl Shows for OnTarget<'_> {
    /// What many programs cost more than one is little beside building and launching.
    fn batch(&self) -> usize {
        if self.sorts.contains("hang") { 3 } else { 24 }
    }

    fn first(&mut self, programs: &[Arc<Source>]) -> Result<Option<usize>, Report> {
        let results = self.run(programs)?;
        let shows = |i: usize, r: &RunResult| self.load(&programs[i]).is_some_and(|test| self.is_it(r, &test.test));
        let Some((first, result)) = results.into_iter().find(|(i, r)| shows(*i, r)) else { return Ok(None) };
        self.last = Some(result);
        Ok(Some(first))
    }

    fn is_over(&self) -> bool {
        interruption().is_some() || self.until.is_some_and(|t| Instant::now() >= t)
    }
}

/// The sizes that the user named.
///
/// # Errors
/// What is no size.
pub(crate) fn sizes(args: &RunArgs) -> Result<Vec<u64>, Report> {
    args.sizes.iter().map(|s| size(s)).collect()
}
