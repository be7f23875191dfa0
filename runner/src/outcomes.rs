//! What came where: a table of outcomes, for documents.

use crate::compare::Comparison;
use crate::observed::Observed;
use crate::result::RunResult;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A table in Markdown with a row for each test and variant of the model: what is allowed, and the share of iterations in which
/// each outcome came on each target, all sizes and styles together. `**` marks what is not allowed. What ran nowhere stands
/// below, with the reason.
pub fn outcomes_table(results: &[RunResult]) -> String {
    let (mut rows, mut targets) = (vec![], vec![]);
    for r in results {
        let row = (r.test.as_str(), r.labels.get("variant").map_or("default", String::as_str));
        if !rows.contains(&row) {
            rows.push(row);
        }
        if !targets.contains(&r.target.as_str()) {
            targets.push(&r.target);
        }
    }
    // Variants of a test beside each other, tests in their order.
    let tests: Vec<&str> = rows.iter().map(|(test, _)| *test).collect();
    rows.sort_by_key(|(test, _)| tests.iter().position(|t| t == test));
    let mut out =
        format!("| test | variant | allowed | {} |\n|{}\n", targets.join(" | "), "---|".repeat(3 + targets.len()));
    let mut left_out: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for (test, variant) in rows {
        let of = |r: &&RunResult| r.test == test && r.labels.get("variant").is_none_or(|v| v == variant);
        let all: Vec<&RunResult> = results.iter().filter(of).collect();
        if let Some(reason) = nowhere(&all) {
            left_out.entry(reason).or_default().entry(test).or_default().push(variant);
            continue;
        }
        let allowed: Vec<String> = all[0].allowed.iter().map(|a| short(a)).collect();
        let _ = write!(out, "| {test} | {variant} | {} |", allowed.join(", "));
        for target in &targets {
            let on: Vec<&RunResult> = all.iter().copied().filter(|r| r.target == *target).collect();
            let _ = write!(out, " {} |", cell(&on));
        }
        out.push('\n');
    }
    for (reason, tests) in left_out {
        let tests: Vec<String> = tests.iter().map(|(test, of)| format!("{test} ({})", of.join(", "))).collect();
        let _ = write!(out, "\nNot run ({reason}): {}\n", tests.join("; "));
    }
    out
}

/// Why none of these ran, if none did: rather what the model says than what a target lacks.
fn nowhere<'r>(results: &[&'r RunResult]) -> Option<&'r str> {
    let (mut of_model, mut of_target) = (None, None);
    for r in results {
        match &r.verdict {
            Comparison::NotRun { reason } => of_model = Some(reason.split(';').next().unwrap_or(reason)),
            Comparison::Skipped { reason } => of_target = Some(reason.as_str()),
            _ => return None,
        }
    }
    of_model.or(of_target)
}

/// `a=1; b=2;` without the end, and with what Markdown would take for its own.
fn short(outcome: &str) -> String {
    let text = match outcome.trim_end_matches(';') {
        "" => "ends",
        text => text,
    };
    format!("`{}`", text.replace('|', "\\|"))
}

fn cell(results: &[&RunResult]) -> String {
    let Some(first) = results.first() else { return "-".into() };
    // In a set that is not complete, nothing is known to be forbidden.
    let undecided = !first.complete;
    let mut counts: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for o in results.iter().flat_map(|r| &r.observed) {
        counts
            .entry(&o.outcome)
            .or_insert((0, o.allowed == Some(true) || o.observed == Observed::Cut || undecided))
            .0 += o.tally.count;
    }
    let all: u64 = counts.values().map(|(n, _)| n).sum();
    if all == 0 {
        return match &first.verdict {
            Comparison::Skipped { .. } => "-".into(),
            Comparison::NotRun { reason } if first.iterations == 0 => reason.split(';').next().unwrap_or("").into(),
            other => other.word().into(),
        };
    }
    let judged = results.iter().all(|r| !matches!(r.verdict, Comparison::Erroneous));
    let part = |(outcome, (n, allowed)): (&&str, &(u64, bool))| {
        let mark = if judged && !allowed { "**" } else { "" };
        if *n == all {
            format!("{mark}{}{mark}", short(outcome))
        } else {
            format!("{mark}{}{mark} {}", short(outcome), share(*n, all))
        }
    };
    format!("{} of {all}", counts.iter().map(part).collect::<Vec<_>>().join(", "))
}

/// Never 0 % of something, nor 100 % of less than all.
#[expect(clippy::cast_precision_loss, reason = "iterations are far from 2^52")]
fn share(some: u64, all: u64) -> String {
    let percent = 100.0 * some as f64 / all as f64;
    if !(1.0..=99.0).contains(&percent) { format!("{percent:.2} %") } else { format!("{percent:.0} %") }
}
