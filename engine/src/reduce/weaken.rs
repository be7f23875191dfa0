//! Claims of commuting that nobody makes, to see whether a wrong one would be found.

use super::claims::Id;
use litmpi_spec::ir::{Commutes, E, Rule};
use litmpi_spec::model::Spec;
use litmpi_spec::syntax::Whose;

/// How a claim says more than the one that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weaker {
    /// Its condition is left out.
    AtAnyTime,
    /// The first or the second of the two parts of its condition is left out.
    Without(usize),
    /// It speaks of all rules.
    OfAll,
    /// It speaks of all instances, not only those of another parameter.
    OfTheSame,
    /// It speaks of all instances, not only those of the same parameter.
    OfOthers,
    /// It is made of all programs, not only of those without some rules.
    OfPrograms,
    /// It speaks of steps that touch anything, not only some state variables.
    OverAll,
    /// It holds of erroneous programs, too.
    Always,
    /// A rule that says nothing is said to commute with all.
    Unsaid,
}

impl Weaker {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Weaker::AtAnyTime => "without its condition",
            Weaker::Without(0) => "without the first part of its condition",
            Weaker::Without(_) => "without the second part of its condition",
            Weaker::OfAll => "of all rules",
            Weaker::OfTheSame => "of the same, too",
            Weaker::OfOthers => "of others, too",
            Weaker::OfPrograms => "of all programs",
            Weaker::OverAll => "whatever both touch",
            Weaker::Always => "even if erroneous",
            Weaker::Unsaid => "said of a rule that says nothing",
        }
    }
}

/// A specification whose rules have more claims, which are tried and not relied on; and what these are, with the number of the claim
/// of the rule that each comes from.
pub fn weakened(spec: &Spec) -> (Spec, Vec<(Id, Weaker, usize)>) {
    let mut out = spec.clone();
    let mut all = vec![];
    let everything: Vec<(usize, Option<usize>)> = (0..spec.rules.len()).map(|i| (i, None)).collect();
    for (rule, r) in out.rules.iter_mut().enumerate() {
        for (from, how, claim) in weaker(r, &everything) {
            all.push(((rule, r.commutes.len()), how, from));
            r.commutes.push(Commutes { tried: true, ..claim });
        }
    }
    (out, all)
}

fn weaker(r: &Rule, everything: &[(usize, Option<usize>)]) -> Vec<(usize, Weaker, Commutes)> {
    let mut out = vec![];
    for (i, c) in r.commutes.iter().enumerate() {
        if let Some(e) = &c.when {
            out.push((i, Weaker::AtAnyTime, Commutes { when: None, ..c.clone() }));
            if let E::And(a, b) = e {
                for (k, kept) in [b, a].into_iter().enumerate() {
                    out.push((i, Weaker::Without(k), Commutes { when: Some((**kept).clone()), ..c.clone() }));
                }
            }
        }
        if c.with.len() < everything.len() && c.of.is_none() && !c.waits {
            out.push((i, Weaker::OfAll, Commutes { with: everything.to_vec(), ..c.clone() }));
        }
        if !c.without.is_empty() {
            out.push((i, Weaker::OfPrograms, Commutes { without: vec![], ..c.clone() }));
        }
        if !c.over.is_empty() {
            out.push((i, Weaker::OverAll, Commutes { over: vec![], ..c.clone() }));
        }
        if c.unless_erroneous {
            out.push((i, Weaker::Always, Commutes { unless_erroneous: false, ..c.clone() }));
        }
        if let Some((whose, _)) = c.of {
            let with = c.with.iter().map(|(rule, _)| (*rule, None)).collect();
            let how = if whose == Whose::Another { Weaker::OfTheSame } else { Weaker::OfOthers };
            out.push((i, how, Commutes { of: None, with, ..c.clone() }));
        }
    }
    if r.commutes.is_empty() {
        let claim = Commutes {
            waits: false,
            with: everything.to_vec(),
            over: vec![],
            of: None,
            without: vec![],
            unless_erroneous: false,
            when: None,
            span: r.span.clone(),
            because: String::new(),
            tried: true,
        };
        out.push((0, Weaker::Unsaid, claim));
    }
    out
}
