//! What was observed, and how often.

use litmpi_litmus::ast::{Outcome, Test};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one iteration ended in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Observed {
    /// The final values of the test's observables; none for a block that did not hold one value.
    Values(Vec<Option<i64>>),
    /// No rank could go on.
    Deadlock,
    /// A loop passed its bound: says nothing about the test.
    Cut,
    /// An MPI call failed with this error class, or the program died.
    Error(String),
    /// Memory holds what nobody wrote there, or something was written where nobody may: where, and what.
    Corrupt(String),
}

impl Observed {
    /// The model's word for it, if there is one.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Observed::Values(vs) => vs.iter().copied().collect::<Option<Vec<i64>>>().map(Outcome::Values),
            Observed::Deadlock => Some(Outcome::Deadlock),
            Observed::Cut | Observed::Error(_) | Observed::Corrupt(_) => None,
        }
    }

    /// Whether it is this outcome of the model. A location that is undefined there may hold anything here, torn values too.
    pub(crate) fn shows(&self, outcome: &Outcome) -> bool {
        match (self, outcome) {
            (Observed::Values(seen), Outcome::Undefined(known)) => {
                seen.len() == known.len()
                    && known.iter().zip(seen).all(|(known, seen)| known.is_none() || known == seen)
            }
            _ => self.outcome().as_ref() == Some(outcome),
        }
    }

    /// As the test prints it: `x=1; 0:a=2;`, with `torn` for a value that is none.
    pub fn show(&self, test: &Test) -> String {
        match self {
            Observed::Values(vs) => {
                let value = |v: &Option<i64>| v.map_or("torn".to_string(), |v| v.to_string());
                let parts: Vec<String> =
                    test.observed.iter().zip(vs).map(|(o, v)| format!("{}={};", o.name, value(v))).collect();
                parts.join(" ")
            }
            Observed::Deadlock => "deadlock".into(),
            Observed::Cut => "cut".into(),
            Observed::Error(class) => format!("error {class}"),
            Observed::Corrupt(what) => format!("corrupt: {what}"),
        }
    }
}

/// How often an outcome was observed, and first when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Iterations.
    pub count: u64,
    /// Number of the first iteration that ended so.
    pub first: u64,
}

/// The outcomes of a test under one set of conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram(pub BTreeMap<Observed, Tally>);

impl Histogram {
    /// Adds what a further launch saw.
    pub fn add(&mut self, more: &Histogram) {
        for (outcome, tally) in &more.0 {
            self.0
                .entry(outcome.clone())
                .and_modify(|t| {
                    t.count = t.count.saturating_add(tally.count);
                    t.first = t.first.min(tally.first);
                })
                .or_insert(*tally);
        }
    }

    /// Iterations in all.
    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, t| sum.saturating_add(t.count))
    }
}
