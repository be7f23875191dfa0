//! One change, and the first test that tells it.

use super::MutateArgs;
use super::list::Change;
use super::steps::{Difference, FOLLOWED, difference};
use super::subject::{Case, Subject, cost, limits};
use litmpi_models::{Answer, Model};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// A changed model may take so many states for a test that takes `cost` with the right one: ten times as many if it is not large,
/// twice as many if it is, and some more.
pub(super) fn most_states(cost: usize) -> usize {
    if cost <= LARGE { 10 * cost + 2000 } else { 2 * cost + 8 * LARGE + 2000 }
}

const LARGE: usize = 1000;

/// How long a change is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// On so many tests.
    pub(super) tests: usize,
    /// Until so many states of the right model have been searched again.
    pub(super) states: usize,
    /// Whether what survived is tried anew on all tests.
    pub(super) anew: bool,
}

impl Patience {
    /// States that are searched again unless somebody asks for more.
    const STATES: usize = 10_000;

    pub(super) fn new(args: &MutateArgs) -> Patience {
        Patience {
            tests: args.max_tests.unwrap_or(usize::MAX),
            states: args.effort.unwrap_or(Patience::STATES),
            anew: args.effort.is_some(),
        }
    }
}

/// What came of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is no change: the model with it is ill-typed, in every model.
    None,
    /// A test tells it.
    Killed { by: String, how: How },
    /// No test tells it, and none can: wherever what is changed was evaluated, in so many states, or candidate executions, of so many
    /// tests, the steps were the same.
    Same { evaluated: usize, tests: usize },
    /// No test tells it. Steps are others in some states of so many tests; whichever of so many states of these a program is in, the same
    /// endings follow, with everything observed.
    Unseen { states: usize, tests: usize },
    /// None of so many tests that come there tells it. If that is said, steps are others in some state of some test, and outcomes in none;
    /// otherwise nobody has compared steps.
    Survives { tests: usize, compared: bool },
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
    /// The test that tells the change.
    pub(super) fn by(&self) -> Option<&str> {
        match self {
            Fate::Killed { by, .. } => Some(by),
            _ => None,
        }
    }

    /// Whether no test tells the change, and nobody has said why.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Fate::Same { .. } | Fate::Unseen { .. } | Fate::Survives { .. } | Fate::Unreached)
    }

    /// What is known of a change by its record and by what came of it now, when perhaps a part of the tests was given.
    pub(super) fn after(self, before: Option<&Fate>) -> Fate {
        match (before, self) {
            (Some(said @ Fate::Equivalent(_)), now) if now.is_open() => said.clone(),
            (Some(said), Fate::Unreached) if said.is_open() => said.clone(),
            (Some(Fate::Same { evaluated: a, tests: t }), Fate::Same { evaluated: b, tests: u }) => {
                Fate::Same { evaluated: b.max(*a), tests: u.max(*t) }
            }
            (Some(said @ Fate::Unseen { .. }), Fate::Same { .. }) => said.clone(),
            // Other tests have seen other endings: those that see none take nothing back.
            (Some(said @ Fate::Survives { compared: true, .. }), Fate::Same { .. } | Fate::Unseen { .. }) => {
                said.clone()
            }
            (Some(Fate::Unseen { states: a, tests: t }), Fate::Unseen { states: b, tests: u }) => {
                Fate::Unseen { states: b.max(*a), tests: u.max(*t) }
            }
            (Some(Fate::Survives { tests: n, .. }), Fate::Survives { tests: m, compared }) => {
                Fate::Survives { tests: m.max(*n), compared }
            }
            (_, now) => now,
        }
    }

    /// Its name in records and reports.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Fate::None => "ill-typed",
            Fate::Killed { how, .. } => how.name(),
            Fate::Same { .. } => "no-difference",
            Fate::Unseen { .. } => "unseen",
            Fate::Survives { compared: true, .. } => "hidden",
            Fate::Survives { .. } => "survives",
            Fate::Unreached => "unreached",
            Fate::Equivalent(_) => "equivalent",
        }
    }
}

/// What a changed model says of a test; nothing if a rule cannot be evaluated.
pub(super) fn answered(model: &Model, case: &Case) -> Option<Answer> {
    let asked = || model.answer(&case.test, &case.variant, limits(model, most_states(case.cost)));
    catch_unwind(AssertUnwindSafe(asked)).ok()?.ok()
}

/// Whether a test tells a changed model from the right one.
fn told(model: &Model, case: &Case) -> Option<How> {
    match answered(model, case) {
        None => Some(How::Fault),
        Some(a) if a.stopped().is_some() || cost(a.effort) > most_states(case.cost) => Some(How::Explodes),
        Some(a) => (a.set != case.set).then_some(How::Outcomes),
    }
}

/// A change, the tests that may tell it, and the changed models.
pub(super) struct Trial<'a> {
    pub(super) change: &'a Change,
    pub(super) subjects: &'a [Subject],
    /// By the number of the model among those that have the change.
    pub(super) cases: Vec<(usize, &'a Case)>,
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

    /// The changed model of that number among those that have the change; nothing if the change is ill-typed there.
    pub(super) fn model(&mut self, at: usize) -> Option<Option<&Model>> {
        if self.models[at].is_none() {
            self.models[at] = Some(self.build(at));
        }
        self.models[at].as_ref().map(Option::as_ref)
    }

    /// Whether a test tells the change; nothing if the change is ill-typed in its model.
    fn tells(&mut self, (at, case): (usize, &Case)) -> Option<Option<How>> {
        self.model(at)?.map(|model| told(model, case))
    }

    /// Tries tests one after the other, until one tells the change or they have had more states than `most`: how many were tried, and
    /// what told it.
    fn try_all(&mut self, cases: &[(usize, &Case)], most: usize) -> (usize, Option<Fate>) {
        let (mut tried, mut states) = (0, 0);
        for case in cases {
            if states > most {
                break;
            }
            let Some(told) = self.tells(*case) else { continue };
            tried += 1;
            states += case.1.cost;
            if let Some(how) = told {
                return (tried, Some(Fate::Killed { by: self.label(*case), how }));
            }
        }
        (tried, None)
    }
}

/// Tries a change on the tests that may tell it until one does: with so much patience, first the one that told it before, if there is one, then
/// those of each group of `first`, then small ones; and after these all in which the changed rules take other steps. Where the
/// record has it that no test tells the change, these alone.
pub(super) fn run(
    change: &Change,
    subjects: &[Subject],
    before: Option<&Fate>,
    first: &[&BTreeSet<&str>],
    patience: Patience,
) -> Fate {
    let group = |label: &str| first.iter().position(|g| g.contains(label)).unwrap_or(first.len());
    let by = before.and_then(Fate::by);
    let rank = |label: &str| if by == Some(label) { 0 } else { 1 + group(label) };
    let mut trial = Trial::new(change, subjects, rank);
    let mut tried = 0;
    if let (Some(Fate::Survives { tests, .. }), false) = (before, patience.anew) {
        tried = *tests;
    } else if !matches!(before, Some(Fate::Same { .. } | Fate::Unseen { .. })) {
        let cases: Vec<(usize, &Case)> = trial.cases.iter().take(patience.tests).copied().collect();
        let found = trial.try_all(&cases, patience.states);
        match found {
            (_, Some(fate)) => return fate,
            (n, None) => tried = n,
        }
    }
    if !(0..change.of.len()).any(|at| trial.build(at).is_some()) {
        return Fate::None;
    }
    if trial.cases.is_empty() {
        return Fate::Unreached;
    }
    let Difference { evaluated, tests, differing, hidden, followed, large } = difference(&mut trial);
    let may_tell: Vec<_> = differing.iter().chain(&large).copied().collect();
    match trial.try_all(&may_tell, patience.states) {
        (_, Some(fate)) => fate,
        (_, None) if differing.is_empty() => Fate::Same { evaluated, tests },
        (_, None) if !hidden => Fate::Unseen { states: followed, tests: differing.len().min(FOLLOWED) },
        (n, None) => Fate::Survives { tests: tried.max(n), compared: true },
    }
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

/// Which of so many tests tell a change, those alone in which the changed rules take other steps; by name, with the model.
pub(super) fn telling(change: &Change, subjects: &[Subject], most: usize) -> Vec<String> {
    let mut trial = Trial::new(change, subjects, |_| 0);
    trial.cases.truncate(most);
    let Difference { differing, large, .. } = difference(&mut trial);
    let may_tell: Vec<(usize, &Case)> = differing.into_iter().chain(large).collect();
    let telling = may_tell.into_iter().filter(|c| trial.tells(*c).is_some_and(|told| told.is_some()));
    telling.collect::<Vec<_>>().into_iter().map(|c| trial.label(c)).collect()
}

/// Whether a case of the model of that number tells a change.
pub(super) fn is_told(change: &Change, subjects: &[Subject], (subject, case): (usize, &Case)) -> bool {
    let Some((_, mutant)) = change.of.iter().find(|(s, _)| *s == subject) else { return false };
    let model = subjects[subject].with(std::slice::from_ref(mutant));
    model.is_ok_and(|model| told(&model, case).is_some())
}
