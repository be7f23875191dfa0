//! The log format of herd and litmus7, for which people have tools.

use crate::result::RunResult;
use litmpi_litmus::ast::{Claim, Prop, Quantifier, Test};
use std::fmt::Write as _;

/// One block a claim: `Test`, `Histogram`, `Witnesses`, `Condition`, `Observation`, `Time`, `Hash`. States that satisfy
/// the claim's proposition are marked `*>`, the others `:>`.
pub fn log_text(test: &Test, result: &RunResult) -> String {
    test.claims.iter().map(|claim| block(test, claim, result)).collect::<Vec<_>>().join("\n")
}

fn block(test: &Test, claim: &Claim, result: &RunResult) -> String {
    let kind = match claim.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let mut out = format!("Test {} {kind}\nHistogram ({} states)\n", result.test, result.observed.len());
    let (mut holds, mut fails) = (0_u64, 0_u64);
    for seen in &result.observed {
        let witness = seen.observed.outcome().is_some_and(|o| claim.prop.holds(&o));
        *if witness { &mut holds } else { &mut fails } += seen.tally.count;
        let mark = if witness { "*>" } else { ":>" };
        let _ = writeln!(out, "{:<8}{mark}{}", seen.tally.count, seen.outcome);
    }
    let validated = match claim.quantifier {
        Quantifier::Exists => holds > 0,
        Quantifier::NotExists => holds == 0,
        Quantifier::Forall => fails == 0,
    };
    let observation = match (holds, fails) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    let _ = writeln!(out, "{}\n", if validated { "Ok" } else { "No" });
    // litmus7 counts as positive what the condition asks for, so under `~exists` what does not have what it names; marks and the
    // observation speak of the proposition itself.
    let (asked, other) = match claim.quantifier {
        Quantifier::NotExists => (fails, holds),
        Quantifier::Exists | Quantifier::Forall => (holds, fails),
    };
    let _ = writeln!(out, "Witnesses\nPositive: {asked}, Negative: {other}");
    let condition = format!("{} ({})", claim.quantifier, proposition(test, &claim.prop));
    let _ = writeln!(out, "Condition {condition} is {}validated", if validated { "" } else { "NOT " });
    let _ = writeln!(out, "Observation {} {observation} {holds} {fails}", result.test);
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a run are far from 2^52")]
    let seconds = result.millis as f64 / 1000.0;
    let _ = writeln!(out, "Time {} {seconds:.2}", result.test);
    if let Some(hash) = litmpi_litmus::hash(test) {
        let _ = writeln!(out, "Hash={hash}");
    }
    for outcome in result.retry.iter().flat_map(|r| r.outcomes.keys()) {
        let words = result.retry.as_ref().map_or_else(String::new, |r| r.words(Some(outcome)));
        let _ = writeln!(out, "Retry {} {outcome} {words}", result.test);
    }
    if !result.stress.is_none() {
        let _ = writeln!(out, "Stress {}", result.stress);
    }
    out
}

/// A proposition in herd's notation.
pub fn proposition(test: &Test, prop: &Prop) -> String {
    let name = |i: &usize| test.observed.get(*i).map_or("?", |o| o.name.as_str());
    let inner = |p: &Prop| match p {
        Prop::And(..) | Prop::Or(..) => format!("({})", proposition(test, p)),
        _ => proposition(test, p),
    };
    match prop {
        Prop::True => "true".into(),
        Prop::Eq(i, v) => format!("{}={}", name(i), test.value(*v)),
        Prop::Ne(i, v) => format!("not {}={}", name(i), test.value(*v)),
        Prop::Undefined(i) => format!("{}=undefined", name(i)),
        Prop::Deadlock => "deadlock".into(),
        Prop::Erroneous => "erroneous".into(),
        Prop::And(a, b) => format!("{} /\\ {}", inner(a), inner(b)),
        Prop::Or(a, b) => format!("{} \\/ {}", inner(a), inner(b)),
        Prop::Not(a) => format!("not {}", inner(a)),
    }
}
