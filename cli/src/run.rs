//! `litmpi run`: tests on real libraries.

use crate::args::{ModelArgs, ProgressArg, RunArgs};
use crate::direct::director;
use crate::ended::Ended;
use crate::kept::{Kept, Lines, latest};
use crate::known::Known;
use crate::lab::{environment, keeper};
use crate::left_out::LeftOut;
use crate::load::{Loaded, limits, tests};
use crate::nic::cache;
use crate::progress::Bar;
use crate::targets::{known, runtime};
use crate::tuned::{Tuned, sum};
use crate::{Verdict, complain, parallel, remark, say, shard};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::golden::DEFAULT;
use litmpi_litmus::widen::widen;
use litmpi_models::Operational;
use litmpi_runner::{
    Comparison, Delay, Event, Expected, Observed, Plan, PlannedTest, Progress, Rows, RunError, RunResult, SeenOutcome,
    Stress, Target, Torn, Widened, log_text, outcomes_table, rates_table, results_json, size_name, summary_table,
};
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// What a test gets on each target, unless the user or the target says otherwise.
const MILLIS: u64 = 100;

pub(crate) fn run(args: &RunArgs) -> Result<Verdict, Report> {
    let known_violations = Known::load(&args.known)?;
    let Ran { loaded, results, left_out, ended } = results(args)?;
    report(args, &known_violations, &loaded, &results);
    if let Some(ended) = ended {
        left_out.end(Verdict::Good);
        complain(&ended.report());
        return Ok(Verdict::Ended(ended.code()));
    }
    let failed: Vec<&RunResult> = results.iter().filter(|r| matches!(r.verdict, Comparison::Failed { .. })).collect();
    if let Some(Comparison::Failed { reason }) = failed.first().map(|r| &r.verdict) {
        let message = format!("{} results failed, the first on {}: {reason}", failed.len(), failed[0].target);
        complain(&Diagnostic::general(message).help("`litmpi targets` says what is here").into());
        return Ok(left_out.end(Verdict::Mend));
    }
    let bad = |r: &RunResult| r.verdict.is_violation() || is_unexplained(r);
    let undecided = results.iter().filter(|r| r.verdict.is_undecided()).count();
    let verdict = match Verdict::of(results.iter().filter(|r| bad(r)).count(), undecided) {
        Verdict::Good if !results.iter().any(RunResult::ran) => Verdict::Nothing,
        verdict => verdict,
    };
    Ok(left_out.end(verdict))
}

/// The tests that were run, and what came of them.
pub(crate) struct Ran {
    pub(crate) loaded: Vec<Loaded>,
    pub(crate) results: Vec<RunResult>,
    pub(crate) left_out: LeftOut,
    /// It was ended before all was run.
    pub(crate) ended: Option<Ended>,
}

/// Runs the tests that the targets run.
pub(crate) fn results(args: &RunArgs) -> Result<Ran, Report> {
    let (loaded, mut left_out) = tests(&args.model)?;
    let targets = chosen(args)?;
    let tuned = Tuned::load(&args.tuned)?;
    // Who says which stress to use wants no other, but for what is his own.
    let tuned = if args.stress.is_some() { tuned } else { tuned.and_shipped() };
    let mut kept = Kept::load(&args.with)?;
    let sizes = args.sizes.iter().map(|s| size(s)).collect::<Result<Vec<u64>, Report>>()?;
    let runnable: Vec<&str> = targets.iter().map(|t| t.family.as_str()).collect();
    for l in &loaded {
        if !runnable.contains(&l.test.family.as_str()) {
            remark(&format!(
                "skipped: {} is of the family `{}`, which none of the targets runs",
                l.test.name, l.test.family
            ));
        }
    }
    let loaded: Vec<Loaded> = loaded.into_iter().filter(|l| runnable.contains(&l.test.family.as_str())).collect();
    let loaded = shard::own(loaded);
    if loaded.is_empty() {
        return Err(Diagnostic::general("no test can be run on these targets")
            .help("`litmpi targets` lists them")
            .into());
    }
    // All sets first: what is wrong is told at once, and signals are listened to as long as something runs.
    let (mut plans, mut results) = (vec![], vec![]);
    for variant in &args.variant {
        let expected =
            parallel::map(&loaded, args.model.bounds.jobs, "enumerating", |l| promised(l, &args.model, variant));
        let mut families: BTreeMap<&str, Vec<PlannedTest>> = BTreeMap::new();
        for (l, e) in loaded.iter().zip(expected) {
            let stress = if l.test.family == "rdma" { vectors(l, &targets, &tuned, args) } else { BTreeMap::new() };
            let Some((expected, variant)) = left_out.keep(&l.path, e) else { continue };
            let planned = PlannedTest { test: Arc::clone(&l.test), expected, labels: labels(l, &variant), stress };
            families.entry(&l.test.family).or_default().push(planned);
        }
        for (family, tests) in families {
            let (mut rest, taken) = kept.take(plan(family, tests, &loaded, &targets, &sizes, (args, variant)));
            // A rate says how often an outcome comes by itself.
            let direct = |p: &&mut Plan| p.directs && p.targets.iter().any(|t| !t.directed.is_empty());
            for plan in rest.iter_mut().filter(direct) {
                let planned = |l: &&Loaded| plan.tests.iter().any(|p| Arc::ptr_eq(&p.test, &l.test));
                let planned: Vec<&Loaded> = loaded.iter().filter(planned).collect();
                plan.director = Some(director(&planned, limits(&args.model), variant)?);
            }
            plans.extend(rest);
            results.extend(taken);
        }
    }
    let keeper = keeper(&targets)?;
    plans.iter_mut().for_each(|p| p.environment = environment(keeper.as_ref()));
    let is_tuned =
        |p: &Plan| p.tests.iter().flat_map(|t| t.stress.values()).map(|v| v.len().saturating_sub(1)).sum::<usize>();
    let number: usize = plans.iter().map(is_tuned).sum();
    if number > 0 {
        remark(&format!(
            "note: {number} results are with stress that was tuned, beside those without (`stress` in the results says which)"
        ));
    }
    let mut lines = Lines::new(&args.out)?;
    results.iter().for_each(|r| lines.add(r));
    for (part, n) in &kept.differs {
        remark(&format!("note: earlier results of {n} tests are not taken up: the {part} is another one"));
    }
    let bar = Bar::new(0, "running");
    let mut interrupted = None;
    for plan in &plans {
        let mut finished = vec![];
        let hear = |event| {
            if let Event::Finished(result) = &event {
                lines.add(result);
                finished.push((**result).clone());
            }
            watch(&bar, event);
        };
        match runtime().block_on(litmpi_runner::run(plan, hear)) {
            Ok(all) => results.extend(all),
            Err(RunError::Interrupted(signal)) => {
                results.extend(latest(finished));
                interrupted = Some(signal);
                break;
            }
            Err(e) => return Err(Diagnostic::general(e.to_string()).into()),
        }
    }
    bar.finish();
    if !args.with.is_empty() || interrupted.is_some() {
        sort(&mut results, args, &loaded, &targets);
    }
    let ended = interrupted.map(|signal| Ended::new(signal, &lines));
    Ok(Ran { loaded, results, left_out, ended })
}

/// The results of a run of which nothing may be lacking.
///
/// # Errors
/// A test that was left out; a signal that ended the run.
pub(crate) fn whole(ran: Ran) -> Result<Vec<RunResult>, Report> {
    ran.left_out.into_result()?;
    ran.ended.map_or(Ok(ran.results), |ended| Err(ended.report()))
}

/// Puts results of several runs in the order of one.
fn sort(results: &mut [RunResult], args: &RunArgs, loaded: &[Loaded], targets: &[Target]) {
    let variant = |r: &RunResult| args.variant.iter().position(|v| v == label(r, "variant"));
    let target = |r: &RunResult| targets.iter().position(|t| t.name == r.target);
    let test = |r: &RunResult| loaded.iter().position(|l| l.test.name == r.test);
    results.sort_by_key(|r| (variant(r), target(r), test(r), r.size));
}

/// The stress of a test on each target: what the command line says, and what was tuned.
fn vectors(l: &Loaded, targets: &[Target], tuned: &Tuned, args: &RunArgs) -> BTreeMap<String, Vec<Stress>> {
    let text = sum(&l.test.span.source.text);
    // Several threads must meet, which time alone does not bring about; fewer do so more often without waiting.
    let usual = if l.test.threads.len() > 2 { Stress::random() } else { Stress::default() };
    let first = args.stress.clone().unwrap_or(usual);
    let of = |t: &Target| [vec![first.clone()], tuned.find(&l.test.name, &t.name, &text)].concat();
    targets.iter().filter(|t| t.family == "rdma").map(|t| (t.name.clone(), of(t))).collect()
}

/// What to run of one family under a variant, on the targets for it.
pub(crate) fn plan(
    family: &str,
    tests: Vec<PlannedTest>,
    loaded: &[Loaded],
    targets: &[Target],
    sizes: &[u64],
    (args, variant): (&RunArgs, &str),
) -> Plan {
    let spec = loaded.iter().find(|l| l.test.family == family).map(|l| Arc::clone(&l.spec));
    let targets = targets.iter().filter(|t| t.family == family).cloned().collect();
    // An operation through a device takes longer than a message through shared memory.
    let default_delay = if family == "rdma" { 500.0 } else { 50.0 };
    let instructions = spec.as_ref().map(|s| s.instructions.clone()).unwrap_or_default();
    let mut plan = Plan::new(tests, Arc::new(instructions), targets, args.out.clone());
    plan.settings = spec.map(|s| s.settings(variant).to_vec()).unwrap_or_default();
    plan.language = args.lang.into();
    plan.cache = cache().join("crates");
    plan.budget.iterations = args.iterations;
    plan.budget.millis = args.time.unwrap_or(MILLIS);
    plan.scale_millis = args.time.is_none();
    plan.seed = args.seed;
    plan.patience = args.patience;
    plan.retry = !args.no_retry;
    plan.build_limit = Duration::from_secs(args.build_limit);
    plan.variant = variant.to_owned();
    plan.directs = !args.undirected && !args.rates;
    plan.delay = Delay { chance: args.delay_chance, max_micros: args.delay_max.unwrap_or(default_delay) };
    plan.run_erroneous = args.erroneous;
    if family == "rdma" {
        // A location is one word, and a thread polls: sizes and styles are of MPI.
        plan.sizes = vec![4];
        plan.progress = Progress::Relaxed;
        return plan;
    }
    plan.sizes = sizes.to_vec();
    plan.progress = match args.progress {
        ProgressArg::Auto => Progress::Auto,
        ProgressArg::Blocking => Progress::Blocking,
        ProgressArg::Relaxed => Progress::Relaxed,
        ProgressArg::Both => Progress::Both,
    };
    plan
}

/// The targets named.
pub(crate) fn chosen(args: &RunArgs) -> Result<Vec<Target>, Report> {
    let all = known(&args.targets)?;
    if args.target.iter().any(|n| n == "all") {
        return all.iter().map(|t| t.with_options(&[])).collect();
    }
    let names: Vec<&str> = all.iter().map(|t| t.name.as_str()).collect();
    let mut out = vec![];
    for name in &args.target {
        let mut words = name.split(':');
        let base = words.next().unwrap_or_default();
        let Some(t) = all.iter().find(|t| t.name == base) else {
            return Err(Diagnostic::general(format!("no target is called `{name}`"))
                .help(format!("targets: {}", names.join(", ")))
                .into());
        };
        out.push(t.with_options(&words.collect::<Vec<_>>())?);
    }
    Ok(out)
}

/// `8`, `64K`, `4M` to bytes.
fn size(text: &str) -> Result<u64, Report> {
    let (digits, unit) = match text.trim().to_ascii_uppercase() {
        t if t.ends_with('K') => (t[..t.len() - 1].to_owned(), 1 << 10),
        t if t.ends_with('M') => (t[..t.len() - 1].to_owned(), 1 << 20),
        t => (t, 1_u64),
    };
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(|| {
        Diagnostic::general(format!("`{text}` is no message size")).help("write bytes, as in 8, 64K or 4M").into()
    })
}

/// What the model says of a test.
pub(crate) fn expected(l: &Loaded, model: &ModelArgs, variant: &str) -> Result<Expected, Report> {
    let setup = l.setup(model, variant);
    let outcomes = Operational::new(&l.test, &setup)?.outcomes()?;
    let test = Arc::clone(&l.test);
    let torn = move || {
        let wide = widen(&test, &setup.spec.instructions)?;
        let outcomes = Operational::new(&wide, &setup).ok()?.outcomes().ok()?;
        Some(Widened { complete: outcomes.complete(), allowed: outcomes.set })
    };
    Ok(Expected {
        torn: Torn::new(torn),
        complete: outcomes.complete(),
        erroneous: outcomes.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })),
        allowed: outcomes.set,
    })
}

/// What libraries promise beyond the standard: a test that the standard leaves erroneous, and that has a verdict for this
/// variant, is run as the variant has it.
const CHECKED: &str = "checked";

/// What the model says of a test that is to be run, and as which variant: the one asked for, or [`CHECKED`].
pub(crate) fn promised(l: &Loaded, model: &ModelArgs, variant: &str) -> Result<(Expected, String), Report> {
    let asked = expected(l, model, variant)?;
    let named = || l.test.claims.iter().flat_map(|c| &c.verdicts).any(|v| v.variant.as_deref() == Some(CHECKED));
    if asked.erroneous && variant == DEFAULT && l.model.variants().contains(&CHECKED) && named() {
        let checked = expected(l, model, CHECKED)?;
        if !checked.erroneous {
            return Ok((checked, CHECKED.to_owned()));
        }
    }
    Ok((asked, variant.to_owned()))
}

pub(crate) fn labels(l: &Loaded, variant: &str) -> BTreeMap<String, String> {
    let pairs = [
        ("file", l.path.display().to_string()),
        ("model", l.spec.name.clone()),
        ("variant", variant.to_owned()),
        ("model-hash", l.spec.hash()),
        ("test-hash", sum(&l.test.span.source.text)),
        ("litmpi", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}

/// Shows how far a run is.
pub(crate) fn watch(bar: &Bar, event: Event) {
    match event {
        Event::Scheduled { runs, .. } => bar.lengthen(runs as u64),
        Event::Begun { target, test, size, .. } => bar.say(&format!("{test} on {target}, {}", size_name(size))),
        Event::Ended { .. } => bar.advance(""),
        Event::Broke { target, test: None, what } => {
            remark(&format!("note: {target}: {what}; what is left is begun anew"))
        }
        _ => {}
    }
}

fn report(args: &RunArgs, known: &Known, loaded: &[Loaded], results: &[RunResult]) {
    if args.json {
        say(&format!("{}\n", results_json(results)));
        return;
    }
    if args.log {
        for r in results.iter().filter(|r| r.ran()) {
            if let Some(l) = loaded.iter().find(|l| l.test.name == r.test) {
                say(&log_text(&l.test, r));
            }
        }
    }
    if args.rates {
        let tests: Vec<&Test> = loaded.iter().map(|l| l.test.as_ref()).collect();
        say(&rates_table(&tests, results));
        return;
    }
    if args.outcomes {
        say(&outcomes_table(results));
        return;
    }
    say(&summary_table(results, if args.each { Rows::Each } else { Rows::Folded }));
    say("\n");
    for r in results.iter().filter(|r| r.verdict.is_violation() || is_unexplained(r)) {
        say(&violation(r, known));
    }
    say(&used_up(results));
    say(&totals(results));
    known.not_seen(results).iter().for_each(|line| say(&format!("{line}\n")));
}

/// What a library did that the model forbids, what is allowed, and how to see it again.
fn violation(r: &RunResult, known: &Known) -> String {
    let mut out = format!(
        "\n{} {} on {} ({}, {} style, {})\n",
        r.verdict.word(),
        r.test,
        r.target,
        size_name(r.size),
        r.style.word(),
        r.library
    );
    for o in r.observed.iter().filter(|o| o.allowed != Some(true)) {
        out.push_str(&format!("  seen     {} × {}, first in iteration {}\n", o.tally.count, o.outcome, o.tally.first));
        if let Some(retry) = r.retry.as_ref().filter(|retry| retry.outcomes.contains_key(&o.outcome)) {
            out.push_str(&format!("           {}\n", retry.words(Some(&o.outcome))));
        }
    }
    if let Some(said) = r.notes.iter().find(|n| n.contains(": error at ")) {
        out.push_str(&format!("  said     {said}\n"));
    }
    if r.observed.iter().any(|o| o.observed == Observed::Deadlock) {
        let seconds = Duration::from_millis(r.patience).as_secs_f64();
        out.push_str(&format!("  hung     {seconds} s without progress count as hanging (--patience)\n"));
    }
    for a in &r.allowed {
        out.push_str(&format!("  allowed  {a}\n"));
    }
    for line in known.about(r) {
        out.push_str(&format!("  {line}\n"));
    }
    out.push_str(&format!("  model    {}; seed {}\n  again    {}\n", model(r), r.seed, r.command));
    out
}

/// Whether outcomes that are not allowed, and did not come again in a fresh process, are not merely errors and hangs of a process
/// in which something was used up.
fn is_unexplained(r: &RunResult) -> bool {
    let wrong = |o: &&SeenOutcome| o.allowed != Some(true) && o.observed != Observed::Cut;
    matches!(r.verdict, Comparison::Unconfirmed { .. })
        && r.observed.iter().filter(wrong).any(|o| !matches!(o.observed, Observed::Error(_) | Observed::Deadlock))
}

/// What a target's processes ran out of: errors and hangs that came after other tests, and in no fresh process. That is a finding
/// about the library, or about what ran before, and not one about each test.
fn used_up(results: &[RunResult]) -> String {
    let mut by: BTreeMap<(&str, &str), Vec<&RunResult>> = BTreeMap::new();
    for r in results.iter().filter(|r| !is_unexplained(r)) {
        if let Comparison::Unconfirmed { outcomes } = &r.verdict {
            outcomes.iter().for_each(|o| by.entry((&r.target, o)).or_default().push(r));
        }
    }
    let mut out = String::new();
    for ((target, outcome), of) in by {
        let names: BTreeSet<&str> = of.iter().map(|r| r.test.as_str()).collect();
        let seen = of
            .iter()
            .filter_map(|r| r.retry.as_ref())
            .filter_map(|r| r.outcomes.get(outcome))
            .map(|(n, _)| n)
            .sum::<u64>();
        out.push_str(&format!(
            "\nFINDING on {target} ({}): {outcome}, {seen} times in processes that had run other tests, in no fresh one: something is used up\n",
            of[0].library
        ));
        if let Some(said) = of.iter().flat_map(|r| &r.notes).find(|n| n.contains(": error at ")) {
            out.push_str(&format!("  said     {said}\n"));
        }
        out.push_str(&format!("  tests    {}\n", names.into_iter().collect::<Vec<_>>().join(", ")));
    }
    out
}

/// The model, and its variant if it is not the usual one.
fn model(r: &RunResult) -> String {
    match label(r, "variant") {
        "" | "default" => label(r, "model").to_owned(),
        variant => format!("{}:{variant}", label(r, "model")),
    }
}

fn label<'r>(r: &'r RunResult, key: &str) -> &'r str {
    r.labels.get(key).map_or("", String::as_str)
}

/// How many results came to what, and why some were not run: nothing is left out silently.
fn totals(results: &[RunResult]) -> String {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for r in results {
        *words.entry(r.verdict.word()).or_default() += 1;
        if let Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } =
            &r.verdict
        {
            *reasons.entry(reason.lines().next().unwrap_or("")).or_default() += 1;
        }
    }
    let words: Vec<String> = words.iter().map(|(w, n)| format!("{n} {w}")).collect();
    let mut out = format!("\n{} results: {}\n", results.len(), words.join(", "));
    for (reason, n) in reasons {
        out.push_str(&format!("not run, {n} times: {reason}\n"));
    }
    out
}
