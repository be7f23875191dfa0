//! `litmpi run`: tests on real libraries.

use crate::args::{ModelArgs, ProgressArg, RunArgs};
use crate::course::Course;
use crate::direct::director;
use crate::ended::Ended;
use crate::filter::Filter;
use crate::kept::{Kept, Lines, latest};
use crate::known::Known;
use crate::lab::{environment, keeper};
use crate::left_out::LeftOut;
use crate::load::{Loaded, limits, tests};
use crate::nic::cache;
use crate::progress::Bar;
use crate::report::{Standing, Summary, Teller, is_told, report};
use crate::selected::Selected;
use crate::targets::{all_named, known, runtime};
use crate::tuned::{Tuned, sum};
use crate::{Verdict, complain, parallel, remark, shard, tell, unfinished};
use litmpi_litmus::ast::Outcome;
use litmpi_litmus::golden::DEFAULT;
use litmpi_litmus::widen::widen;
use litmpi_models::{Operational, Setup};
use litmpi_runner::{
    Comparison, Delay, Event, Expected, Plan, PlannedTest, Progress, RunError, RunResult, Stress, Target, Torn,
    Widened, size_name,
};
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a test gets on each target, unless the user or the target says otherwise.
pub(crate) const MILLIS: u64 = 100;

pub(crate) fn run(args: &RunArgs) -> Result<Verdict, Report> {
    let known = Known::load(&args.known)?;
    let Ran { loaded, results, left_out, ended } = carried_out(args, &known, is_told(args))?;
    let summary = Summary::new(&results, &loaded, &known.not_seen(&results), args.fail_on);
    report(args, &Teller::new(Some(&args.model), &loaded), &loaded, &results, &summary);
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
    let bad = results.iter().filter(|r| Standing::of(r, args.fail_on) == Standing::Failed).count();
    let undecided = results.iter().filter(|r| r.verdict.is_undecided()).count();
    let verdict = match Verdict::of(bad, undecided) {
        Verdict::Good if !results.iter().any(RunResult::ran) => Verdict::Nothing,
        Verdict::Good if lacking(args, &results) => Verdict::Lacking,
        verdict => verdict,
    };
    Ok(left_out.end(verdict))
}

/// Whether nothing was run on a target that the user names, and says so. Those that stand for a name that was not given may be missing.
fn lacking(args: &RunArgs, results: &[RunResult]) -> bool {
    let is_default = args.target == RunArgs::TARGETS.split(',').collect::<Vec<_>>();
    let mut none: Vec<&str> = vec![];
    for target in args.target.iter().filter(|_| !is_default) {
        let base = target.split(':').next().unwrap_or_default();
        let mut of = results.iter().filter(|r| r.target.split(':').next() == Some(base)).peekable();
        if of.peek().is_some() && of.all(|r| matches!(r.verdict, Comparison::Skipped { .. })) {
            none.push(target);
        }
    }
    are_lacking(&none)
}

/// Says on which of the targets that the user names nothing was run. Whether there are any.
pub(crate) fn are_lacking<S: AsRef<str>>(targets: &[S]) -> bool {
    let names: Vec<&str> = targets.iter().map(S::as_ref).collect();
    if !names.is_empty() {
        remark(&format!("error: nothing was run on {}, though `--target` names it", names.join(", ")));
        remark("  help: `litmpi doctor --target NAME` says what is missing; with `--no-tests pass` that is no error");
    }
    !names.is_empty()
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
    carried_out(args, &Known::load(&args.known)?, false)
}

/// Runs the tests; violations are told as they come, if they are to be.
fn carried_out(args: &RunArgs, known: &Known, is_told: bool) -> Result<Ran, Report> {
    let filter = Filter::read(&args.filter, &["test", "file", "family", "call", "target", "known"])?;
    let (loaded, mut left_out) = tests(&args.model)?;
    let targets = chosen(args)?;
    let tuned = Tuned::load(&args.tuned)?;
    // Who says which stress to use wants no other, but for what is his own.
    let tuned = if args.stress.is_some() { tuned } else { tuned.and_shipped() };
    let unfinished = if args.fresh { vec![] } else { unfinished::found(&args.out)? };
    let mut kept = Kept::load(&[&args.with[..], &unfinished].concat())?;
    let sizes = args.sizes.iter().map(|s| size(s)).collect::<Result<Vec<u64>, Report>>()?;
    let loaded = runnable(loaded, &targets)?;
    let all = loaded.len();
    let selected = Selected::new(&filter, &loaded, &targets, known, &mut kept);
    let loaded: Vec<Loaded> = loaded.into_iter().filter(|l| selected.has_any(&l.test.name)).collect();
    if loaded.is_empty() {
        remark(&format!("the filter takes none of {all} tests"));
    }
    let loaded = shard::own(loaded);
    // All sets first: what is wrong is told at once, and signals are listened to as long as something runs.
    let (mut plans, mut results) = (vec![], vec![]);
    for variant in &args.variant {
        let expected =
            parallel::map(&loaded, args.model.bounds.jobs, "enumerating", |l| promised(l, &args.model, variant));
        // A program is made by the declarations that its test was resolved against.
        let mut families: BTreeMap<(&str, &str), Vec<PlannedTest>> = BTreeMap::new();
        for (l, e) in loaded.iter().zip(expected) {
            let stress = if l.test.family == "rdma" { vectors(l, &targets, &tuned, args) } else { BTreeMap::new() };
            let Some((expected, variant)) = left_out.keep(&l.path, e) else { continue };
            let planned = PlannedTest { test: Arc::clone(&l.test), expected, labels: labels(l, &variant), stress };
            families.entry((&l.test.family, &l.spec.name)).or_default().push(planned);
        }
        for ((family, _), tests) in families {
            let whole = plan(family, tests, &loaded, &targets, &sizes, (args, variant));
            let (mut rest, taken) = (vec![], selected.of(whole).into_iter().map(|p| kept.take(p)));
            for (more, taken) in taken {
                rest.extend(more);
                results.extend(taken);
            }
            // A rate says how often an outcome comes by itself.
            let direct = |p: &&mut Plan| p.directs && p.targets.iter().any(|t| !t.directed.is_empty());
            for plan in rest.iter_mut().filter(direct) {
                let planned = |l: &&Loaded| plan.tests.iter().any(|p| Arc::ptr_eq(&p.test, &l.test));
                let planned: Vec<&Loaded> = loaded.iter().filter(planned).collect();
                plan.director = Some(director(&planned, limits(&args.model), variant)?);
            }
            plans.extend(rest);
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
    unfinished::tell(&unfinished, results.len());
    for (part, n) in &kept.differs {
        remark(&format!("note: earlier results of {n} tests are not taken up: the {part} is another one"));
    }
    let (teller, course) = (Teller::new(Some(&args.model), &loaded), Course::new(&plans, is_told && !args.failures));
    let mut interrupted = None;
    {
        let taken_from: Vec<PathBuf> = unfinished.iter().map(|file| lines.now_at(file)).collect();
        let mut came = |result: &mut RunResult, course: &Course| {
            known.mark(result);
            lines.add(result);
            if is_told && result.is_bad() {
                course.aside(|| tell(&teller.tell(result)));
            }
        };
        results.iter_mut().for_each(|r| came(r, &course));
        // What was taken up stands in this run's file now.
        taken_from.iter().for_each(|file| unfinished::end(file));
        for plan in &plans {
            let mut finished = vec![];
            course.begin(plan);
            let hear = |event: Event| {
                course.hear(&event);
                if let Event::Finished(mut result) = event {
                    came(&mut result, &course);
                    finished.push(*result);
                }
            };
            let done = runtime().block_on(litmpi_runner::run(plan, hear));
            match done {
                Ok(all) => results.extend(all),
                Err(RunError::Interrupted(signal)) => {
                    results.extend(latest(finished));
                    interrupted = Some(signal);
                    break;
                }
                Err(e) => return Err(Diagnostic::general(e.to_string()).into()),
            }
        }
    }
    course.finish();
    results.iter_mut().for_each(|r| known.mark(r));
    if !args.with.is_empty() || !unfinished.is_empty() || !filter.is_empty() || interrupted.is_some() {
        sort(&mut results, args, &loaded, &targets);
    }
    if interrupted.is_none() {
        unfinished::end(&lines.path);
    }
    let ended = interrupted.map(|signal| Ended::new(signal, &lines));
    Ok(Ran { loaded, results, left_out, ended })
}

/// The tests that one of the targets runs; the others are told.
fn runnable(loaded: Vec<Loaded>, targets: &[Target]) -> Result<Vec<Loaded>, Report> {
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
    if loaded.is_empty() {
        return Err(Diagnostic::general("no test can be run on these targets")
            .help("`litmpi targets` lists them")
            .into());
    }
    Ok(loaded)
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

/// What to run of one family and specification under a variant, on the targets for it.
pub(crate) fn plan(
    family: &str,
    tests: Vec<PlannedTest>,
    loaded: &[Loaded],
    targets: &[Target],
    sizes: &[u64],
    (args, variant): (&RunArgs, &str),
) -> Plan {
    let is_of = |l: &&Loaded| tests.iter().any(|p| Arc::ptr_eq(&p.test, &l.test));
    let known = loaded.iter().find(is_of).or_else(|| loaded.iter().find(|l| l.test.family == family));
    let spec = known.map(|l| Arc::clone(&l.spec));
    let targets = targets.iter().filter(|t| t.family == family).cloned().collect();
    // An operation through a device takes longer than a message through shared memory.
    let default_delay = if family == "rdma" { 500.0 } else { 50.0 };
    let instructions = spec.as_ref().map(|s| s.instructions.clone()).unwrap_or_default();
    let mut plan = Plan::new(tests, Arc::new(instructions), targets, args.out.clone());
    plan.settings = spec.map(|s| s.settings(variant)).unwrap_or_default();
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
    let named: Vec<_> = args.target.iter().map(|name| all_named(&all, name)).collect::<Result<_, _>>()?;
    Ok(named.concat())
}

/// `8`, `64K`, `4M` to bytes.
pub(crate) fn size(text: &str) -> Result<u64, Report> {
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
    expected_by(l, l.setup(model, variant))
}

/// The same, with bounds of one's own.
pub(crate) fn expected_by(l: &Loaded, setup: Setup) -> Result<Expected, Report> {
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

/// Shows how far a search for stress is.
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

fn label<'r>(r: &'r RunResult, key: &str) -> &'r str {
    r.labels.get(key).map_or("", String::as_str)
}
