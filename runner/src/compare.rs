//! Comparing what was observed with what the model allows.

use crate::observed::{Histogram, Observed};
use crate::torn::Torn;
use litmpi_litmus::ast::Outcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a model says of a test. The runner knows no model: this comes from the caller.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The outcomes that the model allows.
    pub allowed: BTreeSet<Outcome>,
    /// The set is complete: no bound was hit on the way.
    pub complete: bool,
    /// Some execution breaks a rule's `requires`: nothing can be held against a library.
    pub erroneous: bool,
    /// Which outcomes with torn values there may be.
    pub torn: Torn,
}

impl Expected {
    /// Whether the model allows an observed outcome, if it has a word for it. None where it has none, or where a bound kept it
    /// from deciding.
    pub fn allows(&self, observed: &Observed) -> Option<bool> {
        match observed {
            Observed::Values(_) if self.allowed.iter().any(|o| observed.shows(o)) => Some(true),
            Observed::Values(values) if values.iter().any(Option::is_none) => self.torn.allows(observed),
            _ => observed.outcome().map(|o| self.allowed.contains(&o)).filter(|a| *a || self.complete),
        }
    }

    /// Whether a run may hang without anything being wrong.
    pub fn may_deadlock(&self) -> bool {
        self.erroneous || self.allowed.contains(&Outcome::Deadlock)
    }
}

/// What came of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Comparison {
    /// Every observed outcome is allowed.
    Conforms,
    /// These observed outcomes are not allowed.
    Violation {
        /// The outcomes, as the test prints them.
        outcomes: Vec<String>,
    },
    /// These observed outcomes are not allowed, but came only in a process that had run other tests before, and not again in a
    /// fresh one: the library, or what ran before, may have used something up, or they are rare.
    Unconfirmed {
        /// The outcomes, as the test prints them.
        outcomes: Vec<String>,
    },
    /// These observed outcomes were not found within the model's bounds, which says nothing for sure.
    #[serde(alias = "inconclusive")]
    Undecided {
        /// The outcomes, as the test prints them.
        outcomes: Vec<String>,
    },
    /// The program is erroneous in the model: what was observed is information.
    Erroneous,
    /// The target is not here.
    Skipped {
        /// Why, and how to get it.
        reason: String,
    },
    /// The test was not run, for a reason of its own, or gave no outcome.
    NotRun {
        /// Why.
        reason: String,
    },
    /// Something broke that is neither the test's nor the library's answer: the build, the launch.
    Failed {
        /// What.
        reason: String,
    },
}

impl Comparison {
    /// One word for tables.
    pub fn word(&self) -> &'static str {
        match self {
            Comparison::Conforms => "conforms",
            Comparison::Violation { .. } => "VIOLATION",
            Comparison::Unconfirmed { .. } => "UNCONFIRMED",
            Comparison::Undecided { .. } => "undecided",
            Comparison::Erroneous => "erroneous",
            Comparison::Skipped { .. } => "skipped",
            Comparison::NotRun { .. } => "not run",
            Comparison::Failed { .. } => "FAILED",
        }
    }

    /// Whether something was seen that the model neither allows nor forbids within its bounds.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Comparison::Undecided { .. })
    }

    /// Whether a library was caught.
    pub fn is_violation(&self) -> bool {
        matches!(self, Comparison::Violation { .. })
    }
}

/// Whether an outcome that came `count` times in `first` iterations would have come in `fresh` iterations, too, if these are like
/// those: that it did not come then has a chance of at most e^-5, less than 1 %.
pub(crate) fn would_have_come(count: u64, first: u64, fresh: u64) -> bool {
    count.saturating_mul(fresh) >= first.saturating_mul(5).max(1)
}

/// What a violation comes to that was tried again in a fresh process. It remains one if something that is not allowed came there, too,
/// or if it is too rare to have come for sure (`is_settled` says that it is not). Otherwise it is unconfirmed.
pub fn confirmed(first: Comparison, fresh: Comparison, is_settled: bool) -> Comparison {
    match (first, fresh) {
        (Comparison::Violation { mut outcomes }, Comparison::Violation { outcomes: again }) => {
            let new: Vec<String> = again.into_iter().filter(|o| !outcomes.contains(o)).collect();
            outcomes.extend(new);
            Comparison::Violation { outcomes }
        }
        (Comparison::Violation { outcomes }, _) if is_settled => Comparison::Unconfirmed { outcomes },
        (first, _) => first,
    }
}

/// Compares; `show` prints an outcome as the test does.
///
/// A value may be torn where the model of locations of two elements says so ([`Torn`]). One that may not, corrupt memory and an MPI error are
/// outcomes of no correct program; but if the model's set is not complete, nothing that was seen is a violation, those neither: the
/// program may be erroneous in what was not searched. A loop that was cut is no outcome.
pub fn compare(expected: &Expected, observed: &Histogram, show: impl Fn(&Observed) -> String) -> Comparison {
    let outcomes: Vec<&Observed> = observed.0.keys().filter(|o| **o != Observed::Cut).collect();
    if expected.erroneous {
        return Comparison::Erroneous;
    }
    if outcomes.is_empty() {
        let reason =
            if observed.0.is_empty() { "no iteration ended" } else { "every iteration was cut at a loop's bound" };
        return Comparison::NotRun { reason: reason.into() };
    }
    let (mut wrong, mut beyond) = (Vec::new(), Vec::new());
    for o in outcomes {
        match expected.allows(o) {
            Some(true) => {}
            _ if !expected.complete => beyond.push(show(o)),
            None if matches!(o, Observed::Values(_)) => beyond.push(show(o)),
            _ => wrong.push(show(o)),
        }
    }
    if !wrong.is_empty() {
        Comparison::Violation { outcomes: wrong }
    } else if !beyond.is_empty() {
        Comparison::Undecided { outcomes: beyond }
    } else {
        Comparison::Conforms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::Tally;

    fn expected(complete: bool) -> Expected {
        let allowed = [Outcome::Values(vec![1]), Outcome::Deadlock].into_iter().collect();
        Expected { allowed, complete, ..Expected::default() }
    }

    fn seen(all: &[Observed]) -> Histogram {
        Histogram(all.iter().map(|o| (o.clone(), Tally { count: 1, first: 0 })).collect())
    }

    fn verdict(e: &Expected, all: &[Observed]) -> Comparison {
        compare(e, &seen(all), |o| format!("{o:?}"))
    }

    fn value(v: Option<i64>) -> Observed {
        Observed::Values(vec![v])
    }

    #[test]
    fn allowed_outcomes_conform_and_unseen_ones_are_no_failure() {
        assert_eq!(verdict(&expected(true), &[value(Some(1))]), Comparison::Conforms);
        assert_eq!(verdict(&expected(true), &[value(Some(1)), Observed::Deadlock]), Comparison::Conforms);
    }

    #[test]
    fn a_location_without_a_value_may_hold_anything_and_the_others_what_is_allowed() {
        let mut e = expected(true);
        e.allowed.insert(Outcome::Undefined(vec![Some(2), None]));
        let seen = |a, b| verdict(&e, &[Observed::Values(vec![a, b])]);
        assert_eq!(seen(Some(2), Some(77)), Comparison::Conforms);
        assert_eq!(seen(Some(2), None), Comparison::Conforms, "half written");
        assert!(seen(Some(3), Some(77)).is_violation());
        assert!(seen(None, Some(77)).is_violation());
        assert!(verdict(&e, &[value(Some(2))]).is_violation(), "another number of values");
    }

    #[test]
    fn an_outcome_outside_a_complete_set_is_a_violation() {
        let found = verdict(&expected(true), &[value(Some(1)), value(Some(2))]);
        assert_eq!(found, Comparison::Violation { outcomes: vec!["Values([Some(2)])".into()] });
        let mut no_deadlock = expected(true);
        no_deadlock.allowed.remove(&Outcome::Deadlock);
        assert!(verdict(&no_deadlock, &[Observed::Deadlock]).is_violation());
    }

    #[test]
    fn what_a_fresh_process_does_not_show_again_is_unconfirmed() {
        let violation =
            |outcomes: &[&str]| Comparison::Violation { outcomes: outcomes.iter().map(|o| (*o).into()).collect() };
        assert_eq!(confirmed(violation(&["x=0;"]), violation(&["x=0;", "x=2;"]), true), violation(&["x=0;", "x=2;"]));
        let fresh = confirmed(violation(&["x=0;"]), Comparison::Conforms, true);
        assert_eq!(fresh, Comparison::Unconfirmed { outcomes: vec!["x=0;".into()] });
        assert!(!fresh.is_violation());
        assert_eq!(confirmed(violation(&["x=0;"]), Comparison::Conforms, false), violation(&["x=0;"]));
    }

    #[test]
    fn what_is_too_rare_to_have_come_again_is_not_said_to_be_gone() {
        assert!(would_have_come(3, 412, 800), "5.8 were to be expected");
        assert!(!would_have_come(1, 1526, 3000), "2 were to be expected");
        assert!(!would_have_come(1, 1, 0), "nothing was run");
        assert!(!would_have_come(0, 0, 0), "nothing was run at all");
    }

    #[test]
    fn whatever_is_outside_a_bounded_set_is_undecided() {
        let error = Observed::Error("MPI_ERR_TRUNCATE".into());
        for seen in [value(Some(2)), value(None), error, Observed::Corrupt("a of rank 1".into())] {
            assert!(verdict(&expected(true), std::slice::from_ref(&seen)).is_violation());
            assert!(verdict(&expected(false), &[seen]).is_undecided());
        }
    }

    #[test]
    fn erroneous_programs_and_cut_loops_prove_nothing() {
        let e = Expected { erroneous: true, ..expected(true) };
        assert_eq!(verdict(&e, &[value(Some(9))]), Comparison::Erroneous);
        assert_eq!(verdict(&expected(true), &[Observed::Cut, value(Some(1))]), Comparison::Conforms);
        assert!(matches!(verdict(&expected(true), &[Observed::Cut]), Comparison::NotRun { .. }));
    }
}
