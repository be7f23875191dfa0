//! Which rules fired, and which of their premises blocked, over any number of searches.
//!
//! A premise blocks when those before it hold and it does not, for any way in which they hold. A condition of `requires`
//! blocks when the premises hold and it is the first of them that does not. A premise that can never fail, because it binds a
//! name, is not counted; one that is marked `always` is held to that by every search, and not counted either.

use litmpi_spec::model::Spec;
use litmpi_spec::source::{Span, one_line};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts for all rules of one specification; machines on several threads may count into it at once.
#[derive(Debug)]
pub struct Coverage {
    rules: Vec<Counts>,
}

/// Counts for one rule.
#[derive(Debug)]
pub struct Counts {
    fired: AtomicU64,
    premises: Vec<AtomicU64>,
    requires: Vec<AtomicU64>,
}

impl Counts {
    pub(crate) fn fired(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn broke(&self, i: usize) {
        self.requires[i].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn premises(&self) -> &[AtomicU64] {
        &self.premises
    }
}

/// What a count is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The rule fired.
    Rule,
    /// A premise blocked.
    Premise,
    /// A condition of `requires` did not hold.
    Requires,
}

impl What {
    /// What a count of nothing says.
    pub fn never(self) -> &'static str {
        match self {
            What::Rule => "never fires",
            What::Premise => "never blocks",
            What::Requires => "is never violated",
        }
    }
}

/// One line of a report.
#[derive(Debug, Clone)]
pub struct Line {
    /// The rule's name.
    pub rule: String,
    /// What was counted.
    pub what: What,
    /// The premise as the rule says it, on one line; empty for the rule itself.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// How often.
    pub count: u64,
}

impl Coverage {
    /// All counts 0.
    pub fn new(spec: &Spec) -> Coverage {
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect();
        let counts = |r: &litmpi_spec::ir::Rule| Counts {
            fired: AtomicU64::new(0),
            premises: zeros(r.when.len()),
            requires: zeros(r.requires.len()),
        };
        Coverage { rules: spec.rules.iter().map(counts).collect() }
    }

    pub(crate) fn of(&self, rule: usize) -> &Counts {
        &self.rules[rule]
    }

    /// A line for each rule, and for each of its premises that may fail, in the order of the text. A rule whose `requires`
    /// is what it is for (`requires false`, or no updates) has fired when that was violated.
    pub fn lines(&self, spec: &Spec) -> Vec<Line> {
        let mut out = vec![];
        for (r, counts) in spec.rules.iter().zip(&self.rules) {
            let mut line = |what, text: String, span: &Span, count| {
                out.push(Line { rule: r.name.clone(), what, text, span: span.clone(), count });
            };
            let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
            let judges = r.then.is_empty() || r.requires.iter().any(|(e, _)| matches!(e, litmpi_spec::ir::E::Word(0)));
            let errors: u64 = counts.requires.iter().map(count).sum();
            line(What::Rule, String::new(), &r.span, count(&counts.fired) + if judges { errors } else { 0 });
            let premises = r.when.iter().zip(&r.when_at).zip(&counts.premises);
            for ((_, at), n) in premises.filter(|((p, _), _)| p.can_fail()) {
                line(What::Premise, one_line(at.text()), at, count(n));
            }
            let requires: Vec<(&Span, u64)> = r.requires_at.iter().zip(counts.requires.iter().map(count)).collect();
            // The conditions of shared requirements stand at one place.
            for of_one in requires.chunk_by(|(a, _), (b, _)| a.start == b.start) {
                let at = of_one[0].0;
                line(What::Requires, one_line(at.text()), at, of_one.iter().map(|(_, n)| n).sum());
            }
        }
        out
    }
}
