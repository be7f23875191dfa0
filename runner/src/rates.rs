//! Rates beside those that were seen on hardware: the table that papers print.

use crate::result::RunResult;
use litmpi_litmus::ast::{Claim, Test};
use std::fmt::Write as _;

/// A table in Markdown with a row for each claim that says what was seen elsewhere: how often the claim's outcomes came on
/// each target, of how many iterations.
pub fn rates_table(tests: &[&Test], results: &[RunResult]) -> String {
    let mut targets: Vec<&str> = vec![];
    for r in results {
        if !targets.contains(&r.target.as_str()) {
            targets.push(&r.target);
        }
    }
    let mut out = String::from("| test | outcome | model | seen elsewhere |");
    targets.iter().for_each(|t| {
        let _ = write!(out, " {t} |");
    });
    out.push_str(&format!("\n|{}\n", "---|".repeat(4 + targets.len())));
    for test in tests {
        for claim in test.claims.iter().filter(|c| !c.seen.is_empty()) {
            let of_test: Vec<&RunResult> = results.iter().filter(|r| r.test == test.name).collect();
            let Some(first) = of_test.first() else { continue };
            let _ = write!(out, "| {} | `{}` | {} |", test.name, outcome(test, claim), model(claim, first));
            let seen: Vec<String> = claim.seen.iter().map(|s| format!("{} on {}", s.rate, s.on)).collect();
            let _ = write!(out, " {} |", seen.join("; "));
            for target in &targets {
                let on: Vec<&RunResult> = of_test.iter().copied().filter(|r| r.target == *target).collect();
                let _ = write!(out, " {} |", rate(claim, &on));
            }
            out.push('\n');
        }
    }
    out
}

fn outcome(test: &Test, claim: &Claim) -> String {
    crate::log::proposition(test, &claim.prop).replace('|', "\\|")
}

/// Whether the model allows the claim's outcomes.
fn model(claim: &Claim, result: &RunResult) -> &'static str {
    let allowed = result.allowed_outcomes.iter().any(|o| claim.prop.holds(o));
    match (allowed, result.complete) {
        (true, _) => "allowed",
        (false, true) => "forbidden",
        (false, false) => "not found",
    }
}

fn rate(claim: &Claim, results: &[&RunResult]) -> String {
    let all: u64 = results.iter().flat_map(|r| &r.observed).map(|o| o.tally.count).sum();
    if all == 0 {
        return "not run".into();
    }
    let holds = |o: &&crate::result::SeenOutcome| o.observed.outcome().is_some_and(|x| claim.prop.holds(&x));
    let some: u64 = results.iter().flat_map(|r| &r.observed).filter(holds).map(|o| o.tally.count).sum();
    if some == 0 {
        return format!("0 of {all}");
    }
    #[expect(clippy::cast_precision_loss, reason = "iterations are far from 2^52")]
    let percent = 100.0 * some as f64 / all as f64;
    match percent {
        p if p < 1.0 => format!("{p:.2} % ({some} of {all})"),
        p => format!("{p:.0} % of {all}"),
    }
}
