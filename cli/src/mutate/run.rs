//! One change, and the first test that tells it.

use super::list::Change;
use super::subject::{Case, Subject, cost, limits};
use litmpi_rdma_model::Model;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A changed model may take so many times the states of the right one, and this many more.
const TIMES: usize = 10;
const MORE: usize = 2000;

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
    let limits = limits(case.cost * TIMES + MORE);
    match catch_unwind(AssertUnwindSafe(|| model.answer(&case.test, &case.variant, limits))) {
        Err(_) | Ok(Err(_)) => Some(How::Fault),
        Ok(Ok(answer)) if answer.stopped().is_some() || cost(answer.effort) > case.cost * TIMES + MORE => {
            Some(How::Explodes)
        }
        Ok(Ok(answer)) => (answer.set != case.set).then_some(How::Outcomes),
    }
}

/// Tries a change on the tests that may tell it, cheap ones first and so many at most, until one does. The test that told it before, if
/// there is one, is tried first.
pub(super) fn run(change: &Change, subjects: &[Subject], before: Option<&str>, most: usize) -> Fate {
    let mut cases: Vec<(usize, &Case)> = vec![];
    for (at, (subject, mutant)) in change.of.iter().enumerate() {
        let may = subjects[*subject].may_tell(mutant);
        cases.extend(subjects[*subject].cases.iter().filter(|c| may(c)).map(|c| (at, c)));
    }
    let label = |at: usize, c: &Case| c.label(&subjects[change.of[at].0].name);
    cases.sort_by_key(|(at, c)| (before.is_none_or(|b| label(*at, c) != b), c.cost));
    let mut models: Vec<Option<Option<Model>>> = change.of.iter().map(|_| None).collect();
    let build = |at: usize| {
        let (subject, mutant) = &change.of[at];
        subjects[*subject].with(std::slice::from_ref(mutant)).ok()
    };
    let mut tried = 0;
    for (at, case) in cases.iter().take(most) {
        let Some(model) = models[*at].get_or_insert_with(|| build(*at)) else { continue };
        tried += 1;
        if let Some(how) = told(model, case) {
            return Fate::Killed { by: label(*at, case), how };
        }
    }
    if tried > 0 {
        return Fate::Survives(tried);
    }
    let fits = cases.is_empty() && (0..change.of.len()).any(|at| build(at).is_some());
    if fits { Fate::Unreached } else { Fate::None }
}
