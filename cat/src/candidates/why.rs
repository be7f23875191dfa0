//! Why an outcome is allowed or not: an execution that gives it, or what fails in each candidate that would.

use super::execution::Execution;
use super::search::{Candidate, Judge};
use super::value::Value;
use super::{Declarative, Limit};
use crate::{Check, Witness};
use litmpi_litmus::ast::{Outcome, Prop};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Span;

/// At most this many different reasons are kept.
const REASONS: usize = 1000;

/// A candidate that would give the outcome, and the check that fails on it.
#[derive(Debug, Clone)]
pub struct Rejected {
    /// The candidate. Every read has its write; what the model chooses is chosen as far as is needed for the check to
    /// fail however the rest is chosen.
    pub execution: Execution,
    /// The check's name.
    pub check: String,
    /// Where it stands in the model.
    pub span: Span,
    /// Why it fails.
    pub witness: Witness,
    /// How many candidates with the same writes for all reads fail the same check in the same way, this one included.
    pub count: u64,
}

/// Why no execution has an outcome.
#[derive(Debug, Clone, Default)]
pub struct Forbidden {
    /// One for each way to fail of each choice of writes for all reads. Empty although the outcome is not allowed: no
    /// choice of writes gives it the values, or it would depend on itself.
    pub rejected: Vec<Rejected>,
    /// How many consistent executions have the outcome after all.
    pub allowed: u64,
    /// Limits that were hit; the reasons are complete if there is none.
    pub limits: Vec<Limit>,
}

struct Reasons<'p> {
    wanted: &'p Prop,
    /// The writes that the reads of each kept one read from.
    from: Vec<Vec<Option<usize>>>,
    out: Forbidden,
    many: bool,
}

impl Judge for Reasons<'_> {
    // Reads first: a candidate is told by what it reads.
    const EARLY: bool = false;

    fn wants(&mut self, candidate: &Candidate<'_, '_>) -> bool {
        may_hold(self.wanted, candidate, true)
    }

    fn rejected(&mut self, candidate: &Candidate<'_, '_>, check: &Check) {
        if !may_hold(self.wanted, candidate, true) {
            return;
        }
        let witness = candidate.of.model.witness(check, &candidate.frame);
        let same = |(r, from): &(&mut Rejected, &Vec<Option<usize>>)| {
            **from == candidate.from && r.span == check.span && r.witness == witness
        };
        if let Some((r, _)) = self.out.rejected.iter_mut().zip(&self.from).find(same) {
            r.count += 1;
        } else if self.out.rejected.len() == REASONS {
            self.many = true;
        } else {
            let execution = Execution::of(candidate);
            let (name, span) = (check.name.clone(), check.span.clone());
            self.out.rejected.push(Rejected { execution, check: name, span, witness, count: 1 });
            self.from.push(candidate.from.clone());
        }
    }

    fn consistent(&mut self, _: &Candidate<'_, '_>, outcome: Outcome) -> bool {
        self.out.allowed += u64::from(self.wanted.holds(&outcome));
        true
    }
}

/// Whether a proposition may turn out as asked when the candidate is completed.
fn may_hold(prop: &Prop, candidate: &Candidate<'_, '_>, truth: bool) -> bool {
    let ends = |i: &usize| {
        let what = &candidate.of.test.observed[*i].what;
        candidate.ends(what, &candidate.values())
    };
    // Some end that it may have fits, or does not.
    let some = |i: &usize, fits: &dyn Fn(Value) -> bool| {
        ends(i).is_none_or(|all| all.iter().any(|v| *v == Value::Open || fits(*v) == truth))
    };
    match prop {
        Prop::True => truth,
        Prop::Deadlock | Prop::Erroneous => !truth,
        Prop::Eq(i, v) => some(i, &|end| end == Value::Known(*v)),
        Prop::Ne(i, v) => some(i, &|end| end != Value::Known(*v)),
        Prop::Undefined(i) => some(i, &|end| end == Value::Undefined),
        Prop::Not(a) => may_hold(a, candidate, !truth),
        Prop::And(a, b) if truth => may_hold(a, candidate, truth) && may_hold(b, candidate, truth),
        Prop::Or(a, b) if !truth => may_hold(a, candidate, truth) && may_hold(b, candidate, truth),
        Prop::And(a, b) | Prop::Or(a, b) => may_hold(a, candidate, truth) || may_hold(b, candidate, truth),
    }
}

/// A consistent execution.
#[derive(Debug, Clone)]
pub struct Found {
    /// The execution.
    pub execution: Execution,
    /// Its outcome.
    pub outcome: Outcome,
    /// For each negated check of the model, by its name, what there is of what it asks for: a cycle of what is not to be
    /// acyclic.
    pub there: Vec<(String, Witness)>,
}

struct First<'p> {
    wanted: &'p Prop,
    found: Option<Found>,
}

impl Judge for First<'_> {
    const EARLY: bool = true;

    fn wants(&mut self, candidate: &Candidate<'_, '_>) -> bool {
        may_hold(self.wanted, candidate, true)
    }

    fn rejected(&mut self, _: &Candidate<'_, '_>, _: &Check) {}

    fn consistent(&mut self, candidate: &Candidate<'_, '_>, outcome: Outcome) -> bool {
        if !self.wanted.holds(&outcome) {
            return true;
        }
        let model = candidate.of.model;
        let negated = model.checks.iter().filter(|c| c.negated);
        let there = negated.map(|c| (c.name.clone(), model.witness(c, &candidate.frame))).collect();
        self.found = Some(Found { execution: Execution::of(candidate), outcome, there });
        false
    }
}

impl Declarative<'_> {
    /// A consistent execution whose outcome satisfies a proposition (over the test's observables), and that outcome; the
    /// first that the search finds, so always the same.
    ///
    /// # Errors
    /// As of [`Declarative::outcomes`].
    pub fn witness(&self, wanted: &Prop) -> Result<Option<(Execution, Outcome)>, Report> {
        Ok(self.first(wanted)?.0.map(|found| (found.execution, found.outcome)))
    }

    /// The same with what negated checks ask for, and the limits that were hit: if nothing was found, and there are none,
    /// there is nothing.
    ///
    /// # Errors
    /// As of [`Declarative::outcomes`].
    pub fn first(&self, wanted: &Prop) -> Result<(Option<Found>, Vec<Limit>), Report> {
        let mut judge = First { wanted, found: None };
        let progress = self.search(&mut judge)?;
        Ok((judge.found, progress.limits))
    }

    /// Every choice of writes for all reads that may give an outcome which satisfies a proposition, with the checks that
    /// fail on it and why.
    ///
    /// # Errors
    /// As of [`Declarative::outcomes`].
    pub fn why_not(&self, wanted: &Prop) -> Result<Forbidden, Report> {
        let mut judge = Reasons { wanted, from: Vec::new(), out: Forbidden::default(), many: false };
        let progress = self.search(&mut judge)?;
        let mut out = judge.out;
        out.limits = progress.limits;
        if judge.many {
            out.limits.push(Limit::Reasons(REASONS));
        }
        Ok(out)
    }
}
