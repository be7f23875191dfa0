//! Rates beside those that were seen on hardware: the table that papers print.

use crate::result::{RunResult, SeenOutcome};
use crate::stress::Stress;
use crate::tune::Rate;
use litmpi_litmus::ast::{Claim, Test};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A table in Markdown with a row for each claim that says what was seen elsewhere: how often the claim's outcomes came on
/// each target, of how many iterations, and with which stress. Of several stress vectors, it is the one whose rate is
/// surely highest; where the outcome never came, it is all of them.
pub fn rates_table(tests: &[&Test], results: &[RunResult]) -> String {
    let mut targets: Vec<&str> = vec![];
    for r in results {
        if !targets.contains(&r.target.as_str()) {
            targets.push(&r.target);
        }
    }
    let mut out = String::from("| test | outcome | model | seen elsewhere |");
    targets.iter().for_each(|t| {
        let _ = write!(out, " {t} | stress |");
    });
    out.push_str(&format!("\n|{}\n", "---|".repeat(4 + 2 * targets.len())));
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
        (false, false) => "undecided",
    }
}

/// How often the claim's outcomes came, and the stress with it.
fn rate(claim: &Claim, results: &[&RunResult]) -> String {
    let counted: Vec<(Rate, &Stress)> = results.iter().map(|r| (count(claim, r), &r.stress)).collect();
    let iterations: u64 = counted.iter().map(|(rate, _)| rate.of).sum();
    if iterations == 0 {
        return "not run | ".into();
    }
    let surely = |rate: &Rate| rate.interval().0;
    let best = counted.iter().filter(|(rate, _)| rate.hits > 0).max_by(|a, b| surely(&a.0).total_cmp(&surely(&b.0)));
    let Some((best, stress)) = best else {
        let used: BTreeSet<String> = counted.iter().map(|(_, stress)| in_words(stress)).collect();
        return format!("0 of {iterations} | {}", used.into_iter().collect::<Vec<_>>().join("; "));
    };
    let percent = 100.0 * best.share();
    let stress = in_words(stress);
    match percent {
        p if p < 1.0 => format!("{p:.2} % ({} of {}) | {stress}", best.hits, best.of),
        p => format!("{p:.0} % of {} | {stress}", best.of),
    }
}

fn count(claim: &Claim, result: &RunResult) -> Rate {
    let holds = |o: &&SeenOutcome| o.observed.outcome().is_some_and(|x| claim.prop.holds(&x));
    let hits = result.observed.iter().filter(holds).map(|o| o.tally.count).sum();
    Rate { hits, of: result.observed.iter().map(|o| o.tally.count).sum() }
}

/// The random delays of every run are no part of a vector.
fn in_words(stress: &Stress) -> String {
    if stress.is_none() { "delays".into() } else { format!("`{stress}`") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Comparison;
    use crate::observed::{Observed, Tally};
    use crate::plan::{Delay, Style};
    use litmpi_litmus::parse;
    use litmpi_spec::source::Source;

    fn result(stress: &str, counts: [u64; 2]) -> RunResult {
        let seen = |v: i64, count| SeenOutcome {
            outcome: format!("z={v};"),
            observed: Observed::Values(vec![Some(v)]),
            tally: Tally { count, first: 0 },
            allowed: Some(true),
        };
        RunResult {
            schema: 1,
            test: "T".into(),
            target: "nic".into(),
            size: 4,
            style: Style::Relaxed,
            verdict: Comparison::Conforms,
            observed: vec![seen(0, counts[0]), seen(1, counts[1])],
            allowed: vec![],
            allowed_outcomes: vec![litmpi_litmus::ast::Outcome::Values(vec![1])],
            complete: true,
            unseen: vec![],
            iterations: counts[0] + counts[1],
            directed: 0,
            retry: None,
            known: vec![],
            new: vec![],
            explained: std::collections::BTreeMap::new(),
            millis: 1,
            patience: 0,
            seed: 1,
            delay: Delay::default(),
            stress: stress.parse().expect("a vector"),
            settings: std::collections::BTreeMap::new(),
            library: String::new(),
            counters: std::collections::BTreeMap::new(),
            command: String::new(),
            notes: vec![],
            setup: std::collections::BTreeMap::new(),
            labels: std::collections::BTreeMap::new(),
        }
    }

    fn row(results: &[RunResult]) -> String {
        let text = "litmus rdma T \"\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 { z@2 := x }\n\
                    exists z = 1\n  verdict rdma-tso allowed\n  seen \"~2%\" on \"a card\"\n";
        let spec = litmpi_spec::load::load_shipped("rdma-tso").expect("it ships");
        let test = parse(&Source::new("T.litmus", text), &spec.instructions).expect("a test");
        rates_table(&[&test], results).lines().nth(2).expect("a row").to_owned()
    }

    #[test]
    fn a_rate_stands_beside_the_stress_that_it_came_with() {
        let row = |r: &[RunResult]| row(r).split(" | ").skip(4).collect::<Vec<_>>().join(" | ");
        // Two of two are luck; fifty of a hundred are not.
        let all = [result("none", [0, 2]), result("7:d2", [50, 50]), result("random", [999, 1])];
        assert_eq!(row(&all), "50 % of 100 | `7:d2` |");
        assert_eq!(row(&[result("none", [999, 1])]), "0.10 % (1 of 1000) | delays |");
        assert_eq!(row(&[result("none", [9, 0]), result("random", [1, 0])]), "0 of 10 | `random`; delays |");
        assert_eq!(row(&[result("none", [0, 0])]), "not run |  |");
    }
}
