//! The summary for people.

use crate::compare::Comparison;
use crate::result::{RunResult, size_name};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::collections::{BTreeMap, BTreeSet};

/// How much a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// A test on a target, all sizes and styles together.
    Folded,
    /// Each result.
    Each,
}

/// A table, no wider than so many columns, if it is for a terminal: for each test and target, how many outcomes are allowed, observed and not yet seen, and the verdict.
pub fn summary_table(results: &[RunResult], rows: Rows, width: Option<u16>) -> String {
    let mut table = Table::new();
    if let Some(columns) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(columns);
    }
    table.load_preset(presets::NOTHING);
    let mut head = vec!["test", "target"];
    if rows == Rows::Each {
        head.extend(["size", "style"]);
    }
    head.extend(["iterations", "allowed", "observed", "not yet seen", "verdict"]);
    let numbers = head.len() - 4..head.len() - 1;
    table.set_header(head);
    for group in groups(results, rows) {
        let first = group[0];
        let mut cells = vec![first.test.clone(), where_run(first)];
        if rows == Rows::Each {
            cells.extend([size_name(first.size), first.style.word().to_string()]);
        }
        let observed: BTreeSet<&str> = group.iter().flat_map(|r| &r.observed).map(|o| o.outcome.as_str()).collect();
        let ran = group.iter().any(|r| r.ran());
        let unseen = |a: &&String| group.iter().filter(|r| r.ran()).all(|r| r.unseen.contains(a));
        let unseen = first.allowed.iter().filter(unseen).count();
        let known = |n: usize| if ran { n.to_string() } else { "-".into() };
        let at_least = if first.complete { "" } else { "≥" };
        cells.extend([
            known(group.iter().map(|r| usize::try_from(r.iterations).unwrap_or(usize::MAX)).sum()),
            format!("{at_least}{}", first.allowed.len()),
            known(observed.len()),
            known(unseen),
            verdict(&group),
        ]);
        table.add_row(cells);
    }
    for column in numbers {
        if let Some(c) = table.column_mut(column) {
            c.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// The target, and the model's variant if it is not the usual one.
fn where_run(r: &RunResult) -> String {
    match r.labels.get("variant").map(String::as_str) {
        None | Some("default") => r.target.clone(),
        Some(variant) => format!("{} ({variant})", r.target),
    }
}

fn groups(results: &[RunResult], rows: Rows) -> Vec<Vec<&RunResult>> {
    if rows == Rows::Each {
        return results.iter().map(|r| vec![r]).collect();
    }
    let mut order: Vec<(&str, String)> = Vec::new();
    let mut by: BTreeMap<(&str, String), Vec<&RunResult>> = BTreeMap::new();
    for r in results {
        let key = (r.test.as_str(), where_run(r));
        let group = by.entry(key.clone()).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(r);
    }
    order.iter().filter_map(|key| by.remove(key)).collect()
}

/// Outcomes that are told of a result; what has more of them, as where values are not even the same twice, says how many.
pub const TOLD: usize = 8;

/// Outcomes in one line.
pub fn some_of(outcomes: &[String]) -> String {
    let mut out = outcomes.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(" | ");
    if outcomes.len() > TOLD {
        out.push_str(&format!(" | and {} others", outcomes.len() - TOLD));
    }
    out
}

/// The worst verdict of a group, with its reason where one line holds it.
fn verdict(group: &[&RunResult]) -> String {
    let rank = |c: &Comparison| match c {
        Comparison::Violation { .. } => 0,
        Comparison::Unconfirmed { .. } => 1,
        Comparison::Failed { .. } => 2,
        Comparison::NotRun { .. } => 3,
        Comparison::Skipped { .. } => 4,
        Comparison::Undecided { .. } => 5,
        Comparison::Erroneous => 6,
        Comparison::Conforms => 7,
    };
    // What is new is worse than what is known.
    let Some(worst) = group.iter().min_by_key(|r| (rank(&r.verdict), r.is_known())) else { return String::new() };
    let word = format!("{}{}", worst.verdict.word(), if worst.is_known() { " (known)" } else { "" });
    match &worst.verdict {
        Comparison::Violation { outcomes }
        | Comparison::Unconfirmed { outcomes }
        | Comparison::Undecided { outcomes } => {
            let how_often = worst.retry.as_ref().map_or_else(String::new, |r| format!(", {}", r.words(None)));
            format!("{word}: {} ({}{how_often})", some_of(outcomes), size_name(worst.size))
        }
        Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } => {
            format!("{word}: {}", reason.lines().next().unwrap_or_default())
        }
        _ => word,
    }
}
