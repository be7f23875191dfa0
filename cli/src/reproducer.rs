//! A test as one C file for a bug tracker: what the standard asks, with its sections, and what is allowed.

use crate::functions::{rules, sections};
use litmpi_codegen::{Reproduced, reproducer};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_spec::diag::Report;
use litmpi_spec::model::Spec;
use std::collections::BTreeSet;

/// So often a program runs, if nothing is known of how rare its outcomes are.
pub(crate) const TURNS: u64 = 1000;

/// What was seen of a test: where and how often something else came than what is allowed, and whether it came in the style in which calls
/// that wait are made of calls that test.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) lines: Vec<String>,
    pub(crate) polls: bool,
}

/// The file of a test whose outcomes are these, with what was `seen` on top.
///
/// # Errors
/// What of the test has no C without the harness.
pub(crate) fn reproduce(
    (test, spec): (&Test, &Spec),
    allowed: &BTreeSet<Outcome>,
    (size, turns): (u64, u64),
    seen: Seen,
) -> Result<String, Report> {
    let Seen { lines: mut about, polls } = seen;
    if polls {
        about.push("Seen where calls that wait are made of calls that test.".into());
    }
    about.extend(asked(test, spec));
    reproducer(&Reproduced { test, allowed, size, about, turns, polls }, &spec.instructions)
}

/// What the standard says of the test: what its claims cite, and else the sections of what it calls.
fn asked(test: &Test, spec: &Spec) -> Vec<String> {
    let mut out = vec![];
    for verdict in test.claims.iter().flat_map(|c| &c.verdicts) {
        let Some(cite) = verdict.cite.as_ref().filter(|c| c.work.starts_with("MPI")) else { continue };
        let because = verdict.because.as_ref().map_or(String::new(), |b| format!(": {b}"));
        let line = format!("What the standard asks: {} {}{because}.", cite.work, cite.place);
        if !out.contains(&line) {
            out.push(line);
        }
    }
    if !out.is_empty() {
        return out;
    }
    let mut called: Vec<usize> = vec![];
    test.calls().iter().for_each(|c| called.push(c.instr));
    called.sort_unstable();
    called.dedup();
    for instr in called.into_iter().filter(|i| spec.instructions.list[*i].name.starts_with("MPI_")) {
        let sections = sections(spec, &rules(spec, instr));
        if !sections.is_empty() {
            out.push(format!(
                "What the standard asks of {}: MPI-4.1 {}.",
                spec.instructions.list[instr].name,
                sections.join(", ")
            ));
        }
    }
    out
}
