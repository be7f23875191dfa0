//! `litmpi shrink`: a smallest program that still shows a violation, or that two models differ.
//!
//! Steps are tried in one order, those that leave out most first, until none of them is left that still shows it. What comes of models
//! depends on nothing else; what comes of a target depends on the target, too. A violation is written as a test and as one C file
//! for a bug tracker. A signal ends it with the smallest program so far.

mod args;
mod ask;
mod smaller;
mod without;

use crate::args::RunArgs;
use crate::explain::wanted;
use crate::left_out::LeftOut;
use crate::load::{Loaded, files, limits, tests};
use crate::reproducer::{Seen, TURNS, reproduce};
use crate::run::{chosen, expected};
use crate::targets::runtime;
use crate::whole::write_file;
use crate::{Verdict, remark, say, stream};
pub(crate) use args::ShrinkArgs;
pub(crate) use ask::{Between, Difference, OnTarget, Says, Shows, Side, apart, sizes, sort, wrong};
use litmpi_litmus::ast::{Claim, Observable, Observed, Prop, Quantifier, Test};
use litmpi_litmus::{parse, print};
use litmpi_runner::{
    AloneEnded, RunResult, Style, Target, compiled_alone, exit_code, interrupted, interruption, note_interruptions,
    size_name,
};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use smaller::{STAGES, size, tidy};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn shrink(args: &ShrinkArgs) -> Result<Verdict, Report> {
    match &args.between[..] {
        [] => on_target(args),
        [a, b] => between([Side::named(a)?, Side::named(b)?], args),
        _ => Err(Diagnostic::general("two models can differ, not one or three")
            .help("write `--between rdma-tso,core-rma.cat`; a variant is written as NAME:VARIANT")
            .into()),
    }
}

/// The only test that is named.
fn only(mut loaded: Vec<Loaded>) -> Result<Loaded, Report> {
    if loaded.len() > 1 {
        let d = Diagnostic::general(format!("{} tests are named, and one is made smaller at a time", loaded.len()));
        return Err(d.help("name one file").into());
    }
    Ok(loaded.remove(0))
}

/// The text of a program without claims, under a name; what it observes is what it shows.
pub(crate) fn text(test: &Test, decls: &Instructions, name: &str, title: &str) -> Arc<Source> {
    let mut test = test.clone();
    tidy(&mut test);
    test.name = name.to_owned();
    test.title = title.to_owned();
    let nothing = Claim {
        quantifier: Quantifier::Exists,
        prop: Prop::True,
        verdicts: vec![],
        seen: vec![],
        beside: vec![],
        span: test.span.clone(),
    };
    test.claims = vec![nothing];
    Source::new(format!("{name}.litmus"), print(&test, decls))
}

/// Makes a program smaller as long as what it shows is still there and the time is not over, nor a signal has come, and says how many programs were tried.
///
/// # Errors
/// What asking about a program ends with.
pub(crate) fn smallest(
    from: &Arc<Source>,
    decls: &Instructions,
    shows: &mut dyn Shows,
) -> Result<(Arc<Source>, usize), Report> {
    let (mut now, mut tried) = (Arc::clone(from), 0);
    loop {
        let before = Arc::clone(&now);
        for stage in STAGES {
            let mut at = 0;
            loop {
                let test = parse(&now, decls)?;
                let steps: Vec<Arc<Source>> = stage(&test, decls)
                    .iter()
                    .skip(at)
                    .take(shows.batch())
                    .map(|t| text(t, decls, &test.name, &test.title))
                    .collect();
                if steps.is_empty() {
                    break;
                }
                if shows.is_over() {
                    return Ok((now, tried));
                }
                tried += steps.len();
                let first = match shows.first(&steps) {
                    Err(_) if interruption().is_some() => return Ok((now, tried)),
                    first => first?,
                };
                match first {
                    Some(i) => {
                        now = Arc::clone(&steps[i]);
                        at += i;
                        remark_size(&now, decls);
                    }
                    None => at += steps.len(),
                }
            }
        }
        if now.text == before.text {
            return Ok((now, tried));
        }
    }
}

fn remark_size(source: &Arc<Source>, decls: &Instructions) {
    if let Ok(test) = parse(source, decls) {
        let (threads, statements, observed) = size(&test);
        remark(&format!("smaller: {threads} threads, {statements} statements, {observed} values observed"));
    }
}

/// A program on which two models differ.
fn between(sides: [Side; 2], args: &ShrinkArgs) -> Result<Verdict, Report> {
    let mut left_out = LeftOut::default();
    let found = files(&args.run.model.tests, &mut left_out);
    left_out.into_result()?;
    let [path] = &found[..] else {
        let d = Diagnostic::general(format!("{} tests are named, and one is made smaller at a time", found.len()));
        return Err(d.help("name one file").into());
    };
    let source = stream::read(path, "the test ")?;
    let decls = sides[0].model.instructions().clone();
    let test = parse(&source, &decls)?;
    parse(&source, sides[1].model.instructions())?;
    let limits = limits(&args.run.model);
    let name = format!("{}-small", test.name);
    let from = text(&test, &decls, &name, &format!("{} and {} differ", sides[0].name, sides[1].name));
    let mut asked =
        Between { sides: &sides, outcome: args.outcome.as_deref(), limits, jobs: args.run.model.bounds.jobs };
    if let Some(text) = &args.outcome {
        wanted(&test, Some(text))?;
    }
    note_interruptions();
    if asked.ask(&from).is_none() {
        if let Some(side) = sides.iter().find(|s| s.outcomes(&from, limits).is_none()) {
            side.model.runs(&test, limits)?;
            say(&format!(
                "undecided: a bound was reached before all outcomes of {} were known under {}\n",
                test.name, side.name
            ));
            return Ok(Verdict::Undecided);
        }
        say(&format!(
            "{} and {} do not differ so on {}: there is nothing to make smaller\n",
            sides[0].name, sides[1].name, test.name
        ));
        return Ok(Verdict::Good);
    }
    let (small, tried) = smallest(&from, &decls, &mut asked)?;
    let found = asked.ask(&small).ok_or_else(|| Diagnostic::general("the smallest program shows nothing"))?;
    let text = format!("{}{}", small.text, shown(&sides, &found));
    say(&text);
    remark(&format!("tried {tried} programs"));
    let ended = ended();
    if args.run.out != Path::new("litmpi-out") {
        write(&args.run.out, &format!("{name}.litmus"), &text)?;
    }
    Ok(ended.unwrap_or(Verdict::Good))
}

/// How a command ends if a signal has come, which is said.
fn ended() -> Option<Verdict> {
    let signal = interruption()?;
    remark(&format!("ended by {signal}: a smaller program may show it, too"));
    Some(Verdict::Ended(exit_code(signal)))
}

/// What each of two models alone allows, as comments behind a test.
pub(crate) fn shown(sides: &[Side; 2], found: &Difference) -> String {
    let mut out = String::new();
    for (side, only) in sides.iter().zip(&found.only) {
        for outcome in only {
            let values = found.test.show(outcome);
            let values = if values.is_empty() { "an end (nothing is observed)" } else { &values };
            out.push_str(&format!("-- only {}: {values}\n", side.name));
        }
    }
    out
}

/// Writes a file into a folder that is made if it is not there.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Report> {
    let path = folder.join(name.replace(['/', '\\'], "-"));
    litmpi_scratch::own(folder)
        .map_err(|e| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", folder.display()))))?;
    write_file(&path, text)?;
    remark(&format!("wrote {}", path.display()));
    Ok(path)
}

/// The longest that a program runs when what it shows is rare, as a multiple of the time that was asked for.
const PATIENCE: u64 = 64;

/// So often it has to come for a smaller program that does not show it to be told from bad luck.
const OFTEN: u64 = 5;

fn on_target(args: &ShrinkArgs) -> Result<Verdict, Report> {
    let targets = chosen(&args.run)?;
    let [target] = &targets[..] else {
        let named = if args.run.target.join(",") == RunArgs::TARGETS { "no target is" } else { "several targets are" };
        return Err(Diagnostic::general(format!("{named} named, and a violation is of one"))
            .help("name one: `--target mpich`; or two models that differ: `--between A,B`")
            .into());
    };
    let (loaded, left_out) = tests(&args.run.model)?;
    left_out.into_result()?;
    let base = only(loaded)?;
    let [variant] = &args.run.variant[..] else {
        return Err(Diagnostic::general("a violation is one of one variant").help("name one with --variant").into());
    };
    if let Some(text) = args.outcome.as_ref().filter(|text| are_values(text)) {
        // Memory that the test does not show may be shown by what is run.
        let mut test = (*base.test).clone();
        observe_memory(&mut test);
        wanted(&test, Some(text))?;
    }
    let decls = &base.spec.instructions;
    let name = format!("{}-small", base.test.name);
    let mut on = OnTarget {
        args: &args.run,
        target,
        base: &base,
        variant,
        sizes: sizes(&args.run)?,
        millis: args.run.time.unwrap_or(crate::run::MILLIS),
        sorts: Default::default(),
        outcome: args.outcome.as_deref(),
        until: None,
        last: None,
    };
    let Some((from, found)) = begun(&mut on, (&name, &base.test.title))? else {
        say(&format!("{} shows nothing on {} that is forbidden{}\n", base.test.name, target.name, asked_for(args)));
        return Ok(Verdict::Good);
    };
    remark(&format!("{} shows {}", target.name, rates(&found)));
    let (small, tried) = smallest(&from, decls, &mut on)?;
    remark(&format!("tried {tried} programs"));
    let written = finding(&on, &small, &base.test)?;
    say(&written.text);
    write(&args.run.out, &format!("{name}.litmus"), &written.litmus)?;
    match written.program {
        Ok(program) => _ = write(&args.run.out, &format!("{name}.c"), &program)?,
        Err(why) => crate::complain(&why),
    }
    written.alone.iter().for_each(|said| remark(said));
    Ok(ended().unwrap_or(Verdict::Bad))
}

/// Whether an outcome is one of values, and no error, hang or corruption, of which its beginning is given.
fn are_values(outcome: &str) -> bool {
    let sorts = ["deadlock", "erroneous", "error", "corrupt", "cut", "hang"];
    outcome.contains('=') && !sorts.iter().any(|sort| outcome.trim().starts_with(sort))
}

fn asked_for(args: &ShrinkArgs) -> String {
    args.outcome.as_ref().map_or(String::new(), |o| format!(" as `{o}`"))
}

/// The program that is made smaller, and what it shows: the test itself, or the same with all memory observed.
///
/// # Errors
/// A run that cannot be made.
pub(crate) fn begun(
    on: &mut OnTarget<'_>,
    (name, title): (&str, &str),
) -> Result<Option<(Arc<Source>, RunResult)>, Report> {
    let decls = &on.base.spec.instructions;
    let mut test = (*on.base.test).clone();
    let millis = on.millis;
    for all in [false, true] {
        if all {
            observe_memory(&mut test);
        }
        on.millis = millis;
        let from = text(&test, decls, name, title);
        if let Some(found) = first_sight(on, &from)? {
            return Ok(Some((from, found)));
        }
    }
    Ok(None)
}

/// Adds the locations that a program names, and does not show, to what it shows.
fn observe_memory(test: &mut Test) {
    let missing = |l: usize| test.observed.iter().all(|o| o.what != Observed::Loc(l));
    let named =
        (0..test.locs.len()).filter(|l| test.locs[*l].room > 0 && !test.locs[*l].name.starts_with('$') && missing(*l));
    let of = |l: usize| {
        let thread = test.threads.iter().find(|t| t.node == test.locs[l].node);
        let rank = thread.map_or(0, |t| t.number);
        Observable { name: format!("{rank}:{}", test.locs[l].name), what: Observed::Loc(l) }
    };
    let more: Vec<Observable> = named.map(of).collect();
    test.observed.extend(more);
}

/// Runs a program for longer and longer until it often shows what is forbidden: then smaller ones are run for as long, with the message
/// size that shows it, and must show the same sort.
///
/// # Errors
/// A run that cannot be made.
fn first_sight(on: &mut OnTarget<'_>, from: &Arc<Source>) -> Result<Option<RunResult>, Report> {
    let longest = on.millis.saturating_mul(PATIENCE);
    let mut last = None;
    while on.millis <= longest {
        let found = match on.run(std::slice::from_ref(from)) {
            Err(_) if interruption().is_some() && last.is_some() => break,
            found => found?.remove(&0),
        };
        let test = on.load(from);
        if let Some((result, test)) = found.zip(test)
            && on.is_it(&result, &test.test)
        {
            on.sizes = vec![result.size];
            let often =
                wrong(&result) >= OFTEN || result.forbidden().any(|o| matches!(sort(&o.observed), "error" | "hang"));
            on.sorts = result.forbidden().map(|o| sort(&o.observed)).collect();
            on.last = Some(result.clone());
            last = Some(result);
            if often {
                break;
            }
        }
        on.millis = on.millis.saturating_mul(4);
    }
    on.millis = on.millis.min(longest);
    Ok(last)
}

/// A finding as files.
pub(crate) struct Written {
    /// What is said of it.
    pub(crate) text: String,
    /// The test.
    pub(crate) litmus: String,
    /// The C file, or why there is none.
    pub(crate) program: Result<String, Report>,
    /// What comes of the C file where it is run by itself, if there is one.
    pub(crate) alone: Option<String>,
    /// How the smallest program was run last.
    pub(crate) result: Option<RunResult>,
}

/// What the smallest program shows, run once more for longer; if a signal has come, what it showed last.
///
/// # Errors
/// A run that cannot be made.
pub(crate) fn finding(on: &OnTarget<'_>, small: &Arc<Source>, original: &Test) -> Result<Written, Report> {
    let mut longer = OnTarget { sizes: on.sizes.clone(), sorts: on.sorts.clone(), last: None, ..*on };
    longer.millis = on.millis.saturating_mul(2);
    let result = match longer.run(std::slice::from_ref(small)) {
        Err(_) if interruption().is_some() => on.last.clone(),
        found => found?.remove(&0),
    };
    let Some(loaded) = on.load(small) else {
        return Err(Diagnostic::general("the smallest program cannot be read again").into());
    };
    let (mut seen, mut turns, mut comments) = (Seen::default(), TURNS, String::new());
    if let Some(result) = &result {
        comments = result
            .forbidden()
            .map(|o| format!("-- forbidden, and seen on {}: {}\n", result.target, o.outcome))
            .collect();
        seen.polls = result.style == Style::Relaxed;
        seen.lines.push(format!("Seen on {} ({}), {} a value:", result.target, result.library, size_name(result.size)));
        seen.lines.extend(
            result
                .forbidden()
                .take(8)
                .map(|o| format!("  {} in {} of {} runs", o.outcome, o.tally.count, result.iterations)),
        );
        // Often enough that it comes.
        turns = (20 * result.iterations.max(1) / wrong(result).max(1)).clamp(TURNS, 1_000_000);
    }
    let expected = expected(&loaded, &on.args.model, on.variant)?;
    let mut test = (*loaded.test).clone();
    // What the standard asks is said by the claims of the test that it was made of.
    test.claims.extend(original.claims.iter().cloned());
    let bytes = on.sizes.first().copied().unwrap_or(8);
    let of_size = |bytes| reproduce((&test, &loaded.spec), &expected.allowed, (bytes, turns), seen.clone());
    let (program, alone) = showing(on, test.nodes.len(), bytes, of_size);
    let litmus = format!("{}{comments}", small.text);
    let text = match &result {
        Some(result) => format!("{}{comments}{} shows {}\n", small.text, on.target.name, rates(result)),
        None => litmus.clone(),
    };
    Ok(Written { text, litmus, program, alone, result })
}

/// What a C file prints of an outcome that is not allowed (`codegen/c/reproducer-main.c`).
const NOT_ALLOWED: &str = "NOT ALLOWED";
/// How long a C file may run, in seconds.
const ALONE: u64 = 60;

/// The C file with values of so many bytes, and what came when it was run once by itself. If it shows nothing, the first one with values of another size that
/// shows something: the messages of the C file do not have the same parts as those of the harness, which found the violation.
fn showing(
    on: &OnTarget<'_>,
    ranks: usize,
    bytes: u64,
    of_size: impl Fn(u64) -> Result<String, Report>,
) -> (Result<String, Report>, Option<String>) {
    let first = of_size(bytes);
    let Ok(program) = &first else { return (first, None) };
    let (shows_nothing, said) = by_itself(on.target, ranks, program);
    if !shows_nothing {
        return (first, Some(said));
    }
    let mut tried = vec![bytes];
    for other in on.sizes.iter().copied().chain(OTHERS) {
        if tried.contains(&other) {
            continue;
        }
        tried.push(other);
        if let Ok(program) = of_size(other)
            && let (false, said) = by_itself(on.target, ranks, &program)
        {
            let text =
                format!("{said} (with {} a value; with {} it shows nothing)", size_name(other), size_name(bytes));
            return (Ok(program), Some(text));
        }
    }
    (first, Some(said))
}

/// Sizes of values with which a C file is tried if it shows nothing, in bytes: an int, and two.
const OTHERS: [u64; 2] = [4, 8];

/// Runs a C file once, and says whether it shows nothing of what it was written for, and what came: a violation may need what the same process has run before.
fn by_itself(target: &Target, ranks: usize, program: &str) -> (bool, String) {
    let done = runtime().block_on(async {
        tokio::select! {
            biased;
            signal = interrupted() => Err(format!("{signal} came before its end")),
            done = compiled_alone(target, ranks, program, Duration::from_secs(ALONE)) => done,
        }
    });
    let (shows_nothing, came) = match done {
        Ok(AloneEnded { code: Some(0), .. }) => {
            let why = "what was seen may come seldom, or need another message size, or what the process had run before";
            (true, format!("shows nothing: {why}"))
        }
        Ok(AloneEnded { code: Some(code), wrote }) if wrote.contains(NOT_ALLOWED) => {
            (false, format!("shows it: exit code {code}"))
        }
        Ok(AloneEnded { code: Some(code), .. }) => (false, format!("ends with exit code {code}, and does not say why")),
        Ok(AloneEnded { code: None, .. }) => (false, format!("was not over after {ALONE} s")),
        Err(why) => (false, format!("does not come to run: {}", why.lines().next().unwrap_or_default())),
    };
    (shows_nothing, format!("the C file, run by itself on {}, {came}", target.name))
}

/// What was seen that is forbidden, and how often.
pub(crate) fn rates(result: &RunResult) -> String {
    let all: Vec<String> =
        result.forbidden().map(|o| format!("`{}` in {} of {}", o.outcome, o.tally.count, result.iterations)).collect();
    format!("{} ({})", all.join(", "), size_name(result.size))
}
