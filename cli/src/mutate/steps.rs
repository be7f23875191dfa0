//! Whether a change that no test tells makes any difference at all: the changed rules beside the right ones, in the states that
//! the tests reach.
//!
//! Where the changed rules take the same steps in all states of a test, the test cannot tell the change: only the others are
//! searched again. Of models that are no rules, what is compared is how many consistent executions a search finds, or how many states
//! and transitions.
//!
//! Where steps differ, it is asked what comes of that: which endings may follow each state that the test reaches, with everything
//! observed that a program can observe. Where they are the same from every state, the change moves only what nobody can see.

use super::run::{Trial, answered};
use super::subject::{Case, Walked};
use litmpi_engine::beside::{Changed, Compared, same_numbers};
use litmpi_models::Effort;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A comparison ends after so many states in which what is changed was evaluated, or so many in which it was looked for; where a change
/// concerns many rules, these are fewer.
const EVALUATED: usize = 10_000;
const LOOKED_AT: usize = 30_000;

/// It ends, too, after so many tests in which steps differ.
const DIFFER: usize = 20;

/// In so many of these it is asked which endings follow their states.
pub(super) const FOLLOWED: usize = 8;

/// What came of a comparison.
#[derive(Default)]
pub(super) struct Difference<'a> {
    /// How often what is changed was evaluated to the same steps: states of rules, candidate executions of relations.
    pub(super) evaluated: usize,
    /// In so many tests.
    pub(super) tests: usize,
    /// The tests in which some step is another, or cannot be evaluated.
    pub(super) differing: Vec<(usize, &'a Case)>,
    /// Whether in some of these other endings follow some state, or nobody knows.
    pub(super) hidden: bool,
    /// States of these from which the same endings follow.
    pub(super) followed: usize,
    /// Those in which no step is another as far as they were compared: they have more states.
    pub(super) large: Vec<(usize, &'a Case)>,
}

/// Holds a change against the right rules in all tests that come there, small ones first.
pub(super) fn difference<'a>(trial: &mut Trial<'a>) -> Difference<'a> {
    let mut out = Difference::default();
    let mut looked_at = 0;
    // By the number of the model.
    let mut changed: Vec<Option<Option<Changed>>> = trial.change.of.iter().map(|_| None).collect();
    let mut cases = trial.cases.clone();
    cases.sort_by_key(|(_, c)| c.cost);
    for (at, case) in cases {
        if out.evaluated >= EVALUATED || looked_at >= LOOKED_AT || out.differing.len() >= DIFFER {
            break;
        }
        let (subject, mutant) = &trial.change.of[at];
        let subject = &trial.subjects[*subject];
        looked_at += case.cost;
        let found = if let Some(walked) = case.walked(subject) {
            let changed = changed[at].get_or_insert_with(|| {
                let spec = subject.rules.with(std::slice::from_ref(mutant)).ok()?;
                let (rules, spot) =
                    (subject.rules.touches(mutant, &subject.spec), subject.rules.spot(mutant, &subject.spec));
                Some(Changed { spec: Arc::new(spec), rules, spot })
            });
            let Some(changed) = changed else { continue };
            // A function that many rules call is evaluated by each of them.
            looked_at += case.cost * (changed.rules.iter().filter(|r| **r).count() / 8);
            by_states(walked, case, changed)
        } else {
            let Some(Some(model)) = trial.model(at) else { continue };
            by_effort(answered(model, case).map(|a| a.effort), case)
        };
        if found.differs {
            out.differing.push((at, case));
            match case.walked(subject).zip(changed[at].as_ref().and_then(Option::as_ref)) {
                _ if out.hidden || out.differing.len() > FOLLOWED => {}
                Some((walked, changed)) if same_futures(walked, case, changed) => out.followed += walked.states.count(),
                _ => out.hidden = true,
            }
            continue;
        }
        if case.walked(subject).is_some_and(|walked| !walked.states.complete) {
            out.large.push((at, case));
        }
        if found.evaluated > 0 {
            out.evaluated += found.evaluated;
            out.tests += 1;
        }
    }
    out
}

fn by_states(walked: &Walked, case: &Case, changed: &Changed) -> Compared {
    let beside = || walked.machine.beside(&walked.states, (&walked.program, &case.variant), changed);
    let failed = Compared { evaluated: 0, differs: true };
    catch_unwind(AssertUnwindSafe(beside)).ok().and_then(Result::ok).unwrap_or(failed)
}

/// Whether the same endings follow each state of a test, with everything observed, under the right rules and under changed ones.
fn same_futures(walked: &Walked, case: &Case, changed: &Changed) -> bool {
    let theirs = || {
        let machine = walked.machine.changed((&walked.program, &case.variant), changed).ok()?;
        walked.futures_under(&machine)
    };
    let both = walked.futures().zip(catch_unwind(AssertUnwindSafe(theirs)).ok().flatten());
    both.is_some_and(|(a, b)| a.iter().zip(&b).all(|(a, b)| same_numbers(a, b)))
}

fn by_effort(found: Option<Effort>, case: &Case) -> Compared {
    let same = match (found, case.effort) {
        (Some(Effort::Candidates { consistent: a, .. }), Effort::Candidates { consistent: b, .. }) => a == b,
        (Some(Effort::Search { states: a, transitions: x, .. }), Effort::Search { states: b, transitions: y, .. }) => {
            (a, x) == (b, y)
        }
        _ => false,
    };
    Compared { evaluated: case.cost, differs: !same }
}
