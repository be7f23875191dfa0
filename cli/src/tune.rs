//! `litmpi tune`: stress that shows an outcome often.

use crate::args::TuneArgs;
use crate::explain::wanted;
use crate::lab::{environment, keeper};
use crate::load::{Loaded, tests};
use crate::progress::Bar;
use crate::run::{chosen, expected, labels, plan, watch};
use crate::targets::runtime;
use crate::tuned::{Entry, Tuned, sum};
use crate::{Verdict, say};
use litmpi_litmus::ast::Prop;
use litmpi_runner::lab::Keeper;
use litmpi_runner::{Candidate, Comparison, Event, PlannedTest, Rate, RunResult, Target, Tuning, candidates};
use litmpi_spec::diag::{Diagnostic, Report};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) fn tune(args: &TuneArgs) -> Result<Verdict, Report> {
    let (loaded, left_out) = tests(&args.run.model)?;
    left_out.into_result()?;
    let [l] = loaded.as_slice() else {
        return Err(Diagnostic::general(format!("{} tests are given", loaded.len())).help("tune one at a time").into());
    };
    let targets = chosen(&args.run)?;
    let [target] = targets.as_slice() else {
        return Err(Diagnostic::general("stress is tuned for one target").help("name it: --target nic").into());
    };
    if l.test.family != "rdma" || target.family != "rdma" {
        let found =
            format!("{} is of the family `{}`, {} of `{}`", l.test.name, l.test.family, target.name, target.family);
        return Err(Diagnostic::general(found).help("only tests of the family `rdma` have stress to tune").into());
    }
    let [_] = args.run.variant.as_slice() else {
        return Err(Diagnostic::general("stress is tuned under one variant").help("name one with --variant").into());
    };
    let prop = wanted(&l.test, args.outcome.as_deref())?;
    let outcome = args.outcome.clone().unwrap_or_else(|| "the first claim".into());
    let mut all = candidates(&l.test, target.is_of_lab(), args.candidates, args.run.seed);
    if let Some(stress) = args.run.stress.clone().filter(|s| all.iter().all(|c| c.stress != *s)) {
        all.insert(0, Candidate { stress, rate: Rate::default() });
    }
    // All rounds on what one boot brings up, if it is of the lab.
    let keeper = keeper(&targets)?;
    let (bar, mut tuning, mut number) = (Bar::new(0, "tuning"), Tuning::new(all), 0);
    while let Some((doublings, run)) = tuning.round() {
        try_all(run, (l, &prop), target, args, (number, doublings, keeper.as_ref()), &bar)?;
        number += 1;
    }
    bar.finish();
    let out = tuning.into_ranking();
    let best = out[0].clone();
    let found = best.rate.hits > 0;
    if found {
        let (low, high) = best.rate.interval();
        let entry = Entry {
            test: l.test.name.clone(),
            target: target.name.clone(),
            text: sum(&l.test.span.source.text),
            outcome: outcome.clone(),
            stress: best.stress,
            rate: best.rate.share(),
            low,
            high,
            iterations: best.rate.of,
            seed: args.run.seed,
        };
        Tuned::load(&args.run.tuned)?.store(entry, &args.run.tuned)?;
    }
    show(args, &out, &outcome);
    match found {
        _ if args.run.json => {}
        true => say(&format!("\nin {}, which `litmpi run` uses\n", args.run.tuned.display())),
        false => say("\nno vector has shown it: nothing is stored\n"),
    }
    Ok(Verdict::Good)
}

/// One round: each candidate for as long as the round says, in one launch.
fn try_all(
    all: &mut [Candidate],
    (l, prop): (&Loaded, &Prop),
    target: &Target,
    args: &TuneArgs,
    (round, doublings, keeper): (u64, u32, Option<&Keeper>),
    bar: &Bar,
) -> Result<(), Report> {
    let vectors = all.iter().map(|c| c.stress.clone()).collect();
    let variant = args.run.variant.first().map_or("default", String::as_str);
    let planned = PlannedTest {
        test: Arc::clone(&l.test),
        expected: expected(l, &args.run.model, variant)?,
        labels: labels(l, variant),
        stress: BTreeMap::from([(target.name.clone(), vectors)]),
    };
    let (loaded, targets) = (std::slice::from_ref(l), std::slice::from_ref(target));
    let mut plan = plan("rdma", vec![planned], loaded, targets, &[], (&args.run, variant));
    plan.budget.millis <<= doublings;
    plan.retry = false;
    plan.environment = environment(keeper);
    plan.seed = args.run.seed.wrapping_add(round);
    // The bar says which round it is, not which test.
    let watch = |event| {
        if !matches!(event, Event::Begun { .. }) {
            watch(bar, event);
        }
    };
    let results = runtime()
        .block_on(litmpi_runner::run(&plan, watch))
        .map_err(|e| Report::from(Diagnostic::general(e.to_string())))?;
    for (candidate, result) in all.iter_mut().zip(&results) {
        count(candidate, result, prop)?;
    }
    Ok(())
}

fn count(candidate: &mut Candidate, result: &RunResult, prop: &Prop) -> Result<(), Report> {
    match &result.verdict {
        Comparison::Violation { .. } | Comparison::Unconfirmed { .. } | Comparison::Conforms => {}
        Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } => {
            let message = format!("{} cannot be tuned on {}: {reason}", result.test, result.target);
            return Err(Diagnostic::general(message).help("`litmpi targets` says what is here").into());
        }
        _ => {}
    }
    for seen in &result.observed {
        candidate.rate.of += seen.tally.count;
        if seen.observed.outcome().is_some_and(|o| prop.holds(&o)) {
            candidate.rate.hits += seen.tally.count;
        }
    }
    Ok(())
}

fn show(args: &TuneArgs, all: &[Candidate], outcome: &str) {
    if args.run.json {
        let rows: Vec<_> = all
            .iter()
            .map(|c| {
                let (low, high) = c.rate.interval();
                json!({"stress": c.stress, "hits": c.rate.hits, "iterations": c.rate.of, "rate": c.rate.share(), "low": low, "high": high})
            })
            .collect();
        say(&format!("{:#}\n", json!({ "outcome": outcome, "seed": args.run.seed, "candidates": rows })));
        return;
    }
    say(&format!("{outcome}: rate, its 95 % interval, iterations, stress; the best first\n"));
    for c in all {
        let (low, high) = c.rate.interval();
        say(&format!(
            " {:7.3} %  {:7.3} to {:7.3} %  {:>7}  {}\n",
            100.0 * c.rate.share(),
            100.0 * low,
            100.0 * high,
            c.rate.of,
            c.stress
        ));
    }
}
