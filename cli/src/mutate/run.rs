//! One change, and the first test that tells it.

use super::list::Change;
use super::subject::{Case, Subject, cost, limits};
use litmpi_rdma_model::Model;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A changed model may take so many states for a test that takes `cost` with the right one: ten times as many if it is not large,
/// twice as many if it is, and some more.
fn most_states(cost: usize) -> usize {
    if cost <= LARGE { 10 * cost + 2000 } else { 2 * cost + 8 * LARGE + 2000 }
}

const LARGE: usize = 1000;

/// A change is tried until so many states of the right model have been searched again.
const EFFORT: usize = 10_000;

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is no change: the model with it is ill-typed, in every model.
    None,
    /// A test tells it.
    Killed { by: String, how: How },
    /// None of so many tests that come there tells it.
    Survives(usize),
    /// No test comes there.
    Unreached,
    /// Somebody has said in the record why it changes no outcome; no test that was tried tells it.
    Equivalent(String),
}

/// How a test tells a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Its outcomes are others.
    Outcomes,
    /// A rule cannot be evaluated.
    Fault,
    /// It has many times the states.
    Explodes,
}

impl How {
    pub(super) const ALL: [How; 3] = [How::Outcomes, How::Fault, How::Explodes];

    pub(super) fn name(self) -> &'static str {
        match self {
            How::Outcomes => "outcomes",
            How::Fault => "fault",
            How::Explodes => "explodes",
        }
    }
}

impl Fate {
    /// Its name in records and reports.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Fate::None => "ill-typed",
            Fate::Killed { how, .. } => how.name(),
            Fate::Survives(_) => "survives",
            Fate::Unreached => "unreached",
            Fate::Equivalent(_) => "equivalent",
        }
    }
}

/// Whether a test tells a changed model from the right one.
fn told(model: &Model, case: &Case) -> Option<How> {
    let most = most_states(case.cost);
    match catch_unwind(AssertUnwindSafe(|| model.answer(&case.test, &case.variant, limits(most)))) {
        Err(_) | Ok(Err(_)) => Some(How::Fault),
        Ok(Ok(answer)) if answer.stopped().is_some() || cost(answer.effort) > most => Some(How::Explodes),
        Ok(Ok(answer)) => (answer.set != case.set).then_some(How::Outcomes),
    }
}

/// A change, the tests that may tell it, and the changed models.
struct Trial<'a> {
    change: &'a Change,
    subjects: &'a [Subject],
    /// By the number of the model among those that have the change.
    cases: Vec<(usize, &'a Case)>,
    /// Made when they are needed; none where the change is ill-typed.
    models: Vec<Option<Option<Model>>>,
}

impl<'a> Trial<'a> {
    /// With the tests in the order in which they are to be tried: by `rank`, and by how large they are.
    fn new(change: &'a Change, subjects: &'a [Subject], rank: impl Fn(&str) -> usize) -> Trial<'a> {
        let mut cases: Vec<(usize, &Case)> = vec![];
        for (at, (subject, mutant)) in change.of.iter().enumerate() {
            let may = subjects[*subject].may_tell(mutant);
            cases.extend(subjects[*subject].cases.iter().filter(|c| may(c)).map(|c| (at, c)));
        }
        let models = change.of.iter().map(|_| None).collect();
        let mut trial = Trial { change, subjects, cases: vec![], models };
        cases.sort_by_cached_key(|c| (rank(&trial.label(*c)), c.1.cost));
        trial.cases = cases;
        trial
    }

    fn label(&self, (at, case): (usize, &Case)) -> String {
        case.label(&self.subjects[self.change.of[at].0].name)
    }

    fn build(&self, at: usize) -> Option<Model> {
        let (subject, mutant) = &self.change.of[at];
        self.subjects[*subject].with(std::slice::from_ref(mutant)).ok()
    }

    /// Whether a test tells the change; nothing if the change is ill-typed in its model.
    fn tells(&mut self, (at, case): (usize, &Case)) -> Option<Option<How>> {
        if self.models[at].is_none() {
            self.models[at] = Some(self.build(at));
        }
        self.models[at].as_ref()?.as_ref().map(|model| told(model, case))
    }
}

/// Tries a change on the tests that may tell it, so many at most, until one does: first the one that told it before, if there is one,
/// then those of each group of `first`, then small ones.
pub(super) fn run(
    change: &Change,
    subjects: &[Subject],
    before: Option<&str>,
    first: &[&BTreeSet<&str>],
    most: usize,
) -> Fate {
    let group = |label: &str| first.iter().position(|g| g.contains(label)).unwrap_or(first.len());
    let rank = |label: &str| if before == Some(label) { 0 } else { 1 + group(label) };
    let mut trial = Trial::new(change, subjects, rank);
    let cases: Vec<(usize, &Case)> = trial.cases.iter().take(most).copied().collect();
    let (mut tried, mut states) = (0, 0);
    for case in cases {
        if states > EFFORT {
            break;
        }
        let Some(told) = trial.tells(case) else { continue };
        tried += 1;
        states += case.1.cost;
        if let Some(how) = told {
            return Fate::Killed { by: trial.label(case), how };
        }
    }
    if tried > 0 {
        return Fate::Survives(tried);
    }
    let fits = trial.cases.is_empty() && (0..change.of.len()).any(|at| trial.build(at).is_some());
    if fits { Fate::Unreached } else { Fate::None }
}

/// Whether a test of this file tells a change, under any model and variant.
pub(super) fn tells(change: &Change, subjects: &[Subject], test: &Path) -> bool {
    let mut trial = Trial::new(change, subjects, |_| 0);
    let cases: Vec<(usize, &Case)> = trial.cases.iter().filter(|c| c.1.path == test).copied().collect();
    cases.into_iter().any(|c| trial.tells(c).is_some_and(|told| told.is_some()))
}

/// How many tests come to a change.
pub(super) fn comers(change: &Change, subjects: &[Subject]) -> usize {
    Trial::new(change, subjects, |_| 0).cases.len()
}

/// Which of so many small tests tell a change, all of them.
pub(super) fn telling(change: &Change, subjects: &[Subject], most: usize) -> Vec<String> {
    let mut trial = Trial::new(change, subjects, |_| 0);
    let cases: Vec<(usize, &Case)> = trial.cases.iter().take(most).copied().collect();
    let telling = cases.into_iter().filter(|c| trial.tells(*c).is_some_and(|told| told.is_some()));
    telling.collect::<Vec<_>>().into_iter().map(|c| trial.label(c)).collect()
}
