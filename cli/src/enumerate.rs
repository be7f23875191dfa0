//! `litmpi enumerate`: complete outcome sets, as herd prints them.
//!
//! On which choice an outcome depends is found by comparing sets: a variant takes some choices of the model away, and
//! an outcome that is not there under it needs one of them.

use crate::across::Gathering;
use crate::args::EnumerateArgs;
use crate::explain::wanted;
use crate::load::{Loaded, limits, tests_under_any_model};
use crate::{Verdict, parallel, say, shard};
use litmpi_engine::search::Walks;
use litmpi_litmus::ast::{Claim, Expect, Outcome, Quantifier, in_words};
use litmpi_models::{Answer, Effort, Executions, Limits, Search};
use litmpi_runner::proposition;
use litmpi_spec::diag::Report;
use serde_json::json;
use std::fmt::Write;

/// Most steps of a random walk.
const LONGEST: usize = 100_000;

pub(crate) fn enumerate(args: &EnumerateArgs) -> Result<Verdict, Report> {
    let (mut loaded, mut left_out) = tests_under_any_model(&args.model)?;
    if let Some(text) = &args.only {
        for l in &mut loaded {
            let prop = wanted(&l.test, Some(text))?;
            l.test = l.test.asked(prop).into();
        }
    }
    // Threads that have no test of their own search the same one together.
    let threads = parallel::threads(args.model.bounds.jobs) / loaded.len().max(1);
    let walks = args.random.map(|n| Walks { number: n as usize, seed: args.seed, longest: LONGEST });
    let limits = Limits { threads: threads.max(1), walks, ..limits(&args.model) };
    let together = match &args.across {
        Some(across) => Some(Gathering::begin(across, args, &loaded)?),
        None => None,
    };
    let results = shard::map(&loaded, Loaded::about, args.model.bounds.jobs, "enumerating", |l| {
        if let Some(together) = &together {
            let answer = l.model.answer_across(&l.test, &args.variant, limits, together.peers())?;
            return Ok((answer, vec![]));
        }
        let answer = l.model.answer(&l.test, &args.variant, limits)?;
        let needs = if args.depends { dependences(l, args, &answer)? } else { vec![] };
        Ok((answer, needs))
    })?;
    let Some(results) = results else { return Ok(left_out.end(Verdict::Good)) };
    // Each process has the result, and the first one says it.
    let is_silent = together.as_ref().is_some_and(|t| t.peers().own() > 0);
    let (mut rows, mut undecided) = (vec![], 0);
    for (l, r) in loaded.iter().zip(results) {
        let Some((outcomes, needs)) = left_out.keep(&l.path, r) else { continue };
        undecided += usize::from(!outcomes.complete());
        if is_silent {
            continue;
        }
        if args.json {
            let mut row = as_json(l, &args.variant, &outcomes);
            if args.depends {
                row["depends"] = needs
                    .iter()
                    .map(|(outcome, variant, title)| {
                        json!({ "outcome": shown(l, outcome), "not_under": variant, "title": title })
                    })
                    .collect();
            }
            rows.push(row)
        } else {
            let mut text = as_text(l, &args.variant, &outcomes);
            for (outcome, variant, title) in &needs {
                let _ = writeln!(text, "Depends {}: not under {variant} ({title})", shown(l, outcome));
            }
            say(&(text + "\n"))
        }
    }
    if args.json && !is_silent {
        rows.extend(left_out.rows());
        say(&format!("{:#}\n", json!(rows)));
    }
    Ok(left_out.end(Verdict::of(0, undecided)))
}

/// An outcome as it is listed.
fn shown(l: &Loaded, outcome: &Outcome) -> String {
    let text = l.test.show(outcome);
    if text.is_empty() { "{}".into() } else { text }
}

/// Outcomes that are not there under some variant, with the variant and what it says. A variant whose search hit a bound
/// denies nothing.
fn dependences(l: &Loaded, args: &EnumerateArgs, all: &Answer) -> Result<Vec<(Outcome, String, String)>, Report> {
    let mut out = vec![];
    for variant in &l.model.spec().variants {
        if variant.name == args.variant || !l.model.variants().contains(&variant.name.as_str()) {
            continue;
        }
        let under = l.model.answer(&l.test, &variant.name, limits(&args.model))?;
        if under.complete() {
            let gone = all.set.iter().filter(|o| !under.set.contains(o));
            out.extend(gone.map(|o| (o.clone(), variant.name.clone(), variant.title.clone())));
        }
    }
    out.sort();
    Ok(out)
}

/// Whether a claim is allowed; none if a bound was hit and the outcomes beyond it may say otherwise, or if the model knows
/// nothing of what the claim speaks of.
fn verdict(l: &Loaded, claim: &Claim, outcomes: &Answer) -> Option<Expect> {
    outcomes.verdict(claim).filter(|_| l.model.knows_deadlock() || !claim.speaks_of_other_ends())
}

/// Whether a claim holds as herd says it: `exists` if allowed, `~exists` if not.
fn validated(claim: &Claim, verdict: Option<Expect>) -> Option<bool> {
    verdict.map(|v| (v == Expect::Allowed) != (claim.quantifier == Quantifier::NotExists))
}

/// How often outcomes satisfy a claim's proposition, as herd says it. That they never or always do is not known of outcomes
/// that may not be all.
fn observation(known: bool, holding: usize, all: usize) -> &'static str {
    match (holding, all - holding) {
        (1.., 1..) => "Sometimes",
        _ if !known => UNDECIDED,
        (0, _) => "Never",
        _ => "Always",
    }
}

const UNDECIDED: &str = "Undecided";
/// What herd's tools read in the place of `Ok` or `No`, and of what a test asks, where it is not known.
const UNDEF: &str = "Undef";
const UNKNOWN: &str = "Unknown";

/// The outcomes that are listed: of a test with a filter those that pass it.
fn listed<'o>(test: &litmpi_litmus::ast::Test, o: &'o Answer) -> Vec<&'o Outcome> {
    let filter = test.claims.first().and_then(|c| test.filter(c).0);
    o.set.iter().filter(|outcome| filter.is_none_or(|f| f.holds(outcome))).collect()
}

fn as_text(l: &Loaded, variant: &str, o: &Answer) -> String {
    let mut out = String::new();
    let test = &l.test;
    let word = |c: &Claim| match c.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let verdicts: Vec<Option<Expect>> = test.claims.iter().map(|c| verdict(l, c, o)).collect();
    // herd's word for what the test asks reads like a verdict, so it is not said of one that is not decided.
    let head = match (test.claims.first(), verdicts.first()) {
        (Some(_), Some(None)) => UNKNOWN,
        (Some(claim), _) => word(claim),
        (None, _) if o.complete() => "Allowed",
        (None, _) => UNKNOWN,
    };
    let (name, set) = (test.logged_name(), listed(test, o));
    let _ = writeln!(out, "Test {name} {head}");
    let _ = writeln!(out, "States {}", set.len());
    for outcome in &set {
        let _ = writeln!(out, "{}", shown(l, outcome));
    }
    // One program, whatever is asked of it; herd's tools look for it behind the first condition.
    let mut hash = litmpi_litmus::hash(test);
    for (claim, verdict) in test.claims.iter().zip(verdicts) {
        let holding = set.iter().filter(|s| claim.prop.holds(s)).count();
        let _ = writeln!(out, "{}", validated(claim, verdict).map_or(UNDEF, |ok| if ok { "Ok" } else { "No" }));
        let _ = writeln!(out, "Witnesses");
        // What herd counts as positive is what the condition asks for: under `~exists` that which does not have what it names.
        let positive = if claim.quantifier == Quantifier::NotExists { set.len() - holding } else { holding };
        let _ = writeln!(out, "Positive: {positive} Negative: {}", set.len() - positive);
        let _ = writeln!(out, "Condition {} ({})", claim.quantifier, proposition(test, test.filter(claim).1));
        let known = o.complete() && (l.model.knows_deadlock() || !claim.speaks_of_other_ends());
        let when = observation(known, holding, set.len());
        let _ = writeln!(out, "Observation {name} {when} {holding} {}", set.len() - holding);
        if let Some(hash) = hash.take() {
            let _ = writeln!(out, "Hash={hash}");
        }
    }
    let _ = writeln!(out, "Model {} variant {variant} hash {}", l.model.name(), l.model.hash());
    let _ = writeln!(out, "{}", effort(o));
    if !l.model.knows_deadlock() {
        let _ = writeln!(out, "A thread that waits for ever has no execution here: deadlocks are not among the states");
    }
    if let Some(pair) = &o.refuted {
        let _ = writeln!(out, "Note: {pair} are said to commute and do not; everything was searched instead");
    }
    for b in &o.bounds {
        let _ = writeln!(out, "Bound reached: {b}; what is not listed was not found within it, and may be allowed");
    }
    out
}

fn effort(o: &Answer) -> String {
    match o.effort {
        Effort::Search { states, transitions, executions, .. } => {
            let executions = match executions {
                Some(Executions::Finite(n)) if n == u128::MAX => format!("at least {n}"),
                Some(Executions::Finite(n)) => n.to_string(),
                Some(Executions::Infinite) => "infinitely many".into(),
                None => "not counted".into(),
            };
            format!("Explored {states} states, {transitions} transitions, {executions} executions")
        }
        Effort::Walks { seed, walks, endless, steps, states, once, unseen: (about, most) } => {
            let states = states.map_or("too many states to be counted".into(), |n| format!("{n} states"));
            let endless = if endless == 0 { String::new() } else { format!(", {endless} of them to no end") };
            format!(
                "Walked {walks} times with seed {seed}{endless}: {steps} steps, {states}\n\
                 {once} outcomes were come to once. Of such walks, about {:.2} % end in an outcome that is not listed, and with a \
                 confidence of 95 % at most {:.2} %",
                about * 100.0,
                most * 100.0
            )
        }
        Effort::Candidates { candidates, consistent } => {
            format!("Checked {candidates} candidates, complete or not; {consistent} executions are consistent")
        }
    }
}

fn finite(executions: Executions) -> Option<String> {
    match executions {
        Executions::Finite(n) => Some(n.to_string()),
        Executions::Infinite => None,
    }
}

fn as_json(l: &Loaded, variant: &str, o: &Answer) -> serde_json::Value {
    let test = &l.test;
    // An address stands by the name of its location.
    let value = |v: &i64| match test.value(*v) {
        name if name.parse::<i64>().is_err() => json!(name),
        _ => json!(v),
    };
    let values = |vs: &mut dyn Iterator<Item = serde_json::Value>| {
        let values: serde_json::Map<String, serde_json::Value> =
            test.observed.iter().map(|o| o.name.clone()).zip(vs).collect();
        json!({ "values": values })
    };
    let outcome = |s: &Outcome| match s {
        Outcome::Values(vs) => values(&mut vs.iter().map(value)),
        Outcome::Undefined(vs) => values(&mut vs.iter().map(|v| v.as_ref().map_or(json!(null), value))),
        Outcome::Deadlock => json!({ "deadlock": true }),
        Outcome::Erroneous { rule, reason } => json!({ "erroneous": { "rule": rule, "reason": reason } }),
    };
    let mut row = json!({
        "test": test.name,
        "program": litmpi_litmus::hash(test),
        "file": l.path.display().to_string(),
        "title": test.title,
        "model": l.model.name(),
        "variant": variant,
        "hash": l.model.hash(),
        "outcomes": listed(test, o).into_iter().map(outcome).collect::<Vec<_>>(),
        "claims": test.claims.iter().map(|c| {
            let verdict = verdict(l, c, o);
            json!({
                "condition": format!("{} ({})", c.quantifier, proposition(test, &c.prop)),
                "verdict": in_words(verdict),
                "validated": validated(c, verdict),
            })
        }).collect::<Vec<_>>(),
        "complete": o.complete(),
        "bounds": o.bounds.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if let Some(row) = row.as_object_mut() {
        row.extend(effort_json(o));
    }
    row
}

fn effort_json(o: &Answer) -> Vec<(String, serde_json::Value)> {
    let pairs = match o.effort {
        Effort::Search { search, states, transitions, executions } => vec![
            (
                "search",
                json!(match search {
                    Search::Full => "full",
                    Search::Reduced | Search::Auto => "reduced",
                    Search::Footprints => "footprints",
                }),
            ),
            ("states", json!(states)),
            ("transitions", json!(transitions)),
            ("executions", json!(executions.and_then(finite))),
        ],
        Effort::Walks { seed, walks, endless, steps, states, once, unseen: (about, most) } => vec![
            ("search", json!("random")),
            ("walks", json!(walks)),
            ("seed", json!(seed)),
            ("endless", json!(endless)),
            ("steps", json!(steps)),
            ("states", json!(states)),
            ("once", json!(once)),
            ("unseen", json!({ "about": about, "at_most": most, "confidence": 0.95 })),
        ],
        Effort::Candidates { candidates, consistent } => {
            vec![("candidates", json!(candidates)), ("executions", json!(consistent.to_string()))]
        }
    };
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}
