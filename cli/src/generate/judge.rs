//! What the forms of a model say of a generated test: its verdicts and its complete outcome sets, which must be the same.

use crate::shrink::Side;
use litmpi_litmus::ast::{Expect, Outcome, Test};
use litmpi_litmus::golden::Golden;
use litmpi_models::{Limits, Search};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

/// A program with more states, or candidate executions, is not decided.
const STATES: usize = 500_000;

/// Forms of one model under one variant.
struct Forms {
    /// The model whose verdict it is, and its variant.
    of: &'static str,
    variant: Option<&'static str>,
    sides: Vec<Side>,
}

/// The models that tests are put to.
pub(crate) struct Judge {
    polls: Vec<Forms>,
    waits: Vec<Forms>,
    limits: Limits,
}

/// What came of a test.
pub(crate) enum Judged {
    /// The verdicts as lines of the test, the first of them, and the sets.
    Agreed { lines: String, first: Expect, golden: Golden },
    /// A bound was reached.
    Undecided,
    /// Two forms of one model differ: their names, and what each alone allows.
    Differ(String),
}

fn forms(of: &'static str, variant: Option<&'static str>, names: [&str; 3]) -> Result<Forms, Report> {
    Ok(Forms { of, variant, sides: names.into_iter().map(Side::named).collect::<Result<_, _>>()? })
}

impl Judge {
    /// The forms of RDMA^TSO, with and without the PCIe guarantee, and those of RDMA^WAIT.
    ///
    /// # Errors
    /// None of a whole installation: the models ship.
    pub(crate) fn new() -> Result<Judge, Report> {
        let mut limits = Limits { search: Search::Auto, ..Limits::default() };
        limits.states = limits.states.min(STATES);
        Ok(Judge {
            polls: vec![
                forms("rdma-tso", None, ["rdma-tso", "rdma-tso-simplified", "rdma-tso.cat"])?,
                forms(
                    "rdma-tso",
                    Some("no-pcie"),
                    ["rdma-tso:no-pcie", "rdma-tso-simplified:no-pcie", "rdma-tso-no-pcie.cat"],
                )?,
            ],
            waits: vec![forms("rdma-wait", None, ["rdma-wait", "rdma-wait-simplified", "rdma-wait.cat"])?],
            limits,
        })
    }

    /// What the models say of a test, which has one claim.
    ///
    /// # Errors
    /// A program that cannot be read.
    pub(crate) fn judge(&self, text: &str, waits: bool) -> Result<Judged, Report> {
        let source = Source::new("generated", text);
        let (mut lines, mut first, mut golden) = (String::new(), None, Golden::default());
        for forms in if waits { &self.waits } else { &self.polls } {
            let mut sets: Vec<(&Side, Test, BTreeSet<Outcome>)> = vec![];
            for side in &forms.sides {
                litmpi_litmus::parse(&source, side.model.instructions())?;
                let Some((test, set)) = side.outcomes(&source, self.limits) else { return Ok(Judged::Undecided) };
                golden.set(side.model.name(), &side.variant, set.iter().map(|o| test.show(o)).collect());
                sets.push((side, test, set));
            }
            if let Some(differ) = differ(&sets) {
                return Ok(Judged::Differ(differ));
            }
            let (_, test, set) = &sets[0];
            let verdict = test.claims[0].verdict(set.iter());
            let variant = forms.variant.map_or(String::new(), |v| format!(" ({v})"));
            let names: Vec<&str> = forms.sides.iter().map(|s| s.model.name()).collect();
            lines += &format!("  verdict {}{variant} {verdict}  because \"{} say so\"\n", forms.of, names.join(", "));
            first.get_or_insert(verdict);
        }
        let first = first.unwrap_or(Expect::Allowed);
        Ok(Judged::Agreed { lines, first, golden })
    }
}

/// What one form allows and another one does not, deadlocks aside, of which relations know nothing.
fn differ(sets: &[(&Side, Test, BTreeSet<Outcome>)]) -> Option<String> {
    let values = |set: &BTreeSet<Outcome>| -> BTreeSet<Outcome> {
        set.iter().filter(|o| **o != Outcome::Deadlock).cloned().collect()
    };
    let (one, test, expected) = &sets[0];
    sets[1..].iter().find_map(|(other, _, found)| {
        let (a, b) = (values(expected), values(found));
        let only = |a: &BTreeSet<Outcome>, b: &BTreeSet<Outcome>| {
            a.difference(b).map(|o| format!("\n  {}", test.show(o))).collect::<String>()
        };
        (a != b).then(|| {
            format!("only {} allows:{}\nonly {} allows:{}\n", one.name, only(&a, &b), other.name, only(&b, &a))
        })
    })
}
