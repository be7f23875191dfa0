//! `litmpi verify`: every behaviour that the standard allows a real MPI program.

use crate::args::{CompileArgs, SearchArg, VerifyArgs};
use crate::load::Models;
use crate::nic::cache;
use crate::replay::{VerifyCommand, replay, save};
use crate::{Verdict, parallel, remark, say};
use litmpi_engine::search::{Bound, Bounds, Clock, interrupt};
use litmpi_models::{Model, Search};
use litmpi_runner::{exit_code, interruption, note_interruptions};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_verify::{
    Bad, Finding, Run, Sample, Source, Stopped, Verdict as Found, Watcher, compiler, explore_with, other_sanitizer,
};
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;

pub(crate) fn verify(command: &VerifyCommand) -> Result<Verdict, Report> {
    if let Some(path) = &command.replay.replay {
        return replay(command, path);
    }
    let args = &command.verify;
    if args.command.is_empty() {
        let d = Diagnostic::general("no program is named");
        return Err(d.help("as in `litmpi verify -n 2 -- ./program`").into());
    }
    if args.seed.is_some() && args.random.is_none() {
        let d = Diagnostic::general("a seed is for behaviours at random");
        return Err(d.help("as in `--random 100 --seed 1`; all behaviours are the same ones each time").into());
    }
    if let (Some(name), Some(n)) = (of_a_search(args), args.random) {
        let d =
            Diagnostic::general(format!("`{name}` is for a search, and `--random {n}` follows behaviours one by one"));
        return Err(d.help(format!("leave out one of the two: `{name}` or `--random`")).into());
    }
    let run = run_of(args, vec![])?;
    interrupts_searches();
    let found = told_of(&run, args)?;
    say(&if args.json { format!("{:#}\n", as_json(&found, args)) } else { as_text(&found, args) });
    if let Some(path) = &command.replay.save {
        // One that was found at random is followed as it was found.
        let sample = run.sample.or(run.beside.filter(|_| found.beside.is_some_and(|b| b.found)));
        save(&Run { sample, ..run }, &args.model, &found, path)?;
    }
    Ok(interruption().map_or_else(|| shown(&found), |signal| Verdict::Ended(exit_code(signal))))
}

/// An option that says how all behaviours are searched, if one is given: behaviours at random do not heed it.
pub(crate) fn of_a_search(args: &VerifyArgs) -> Option<&'static str> {
    let given = [("--search", args.search.is_some()), ("--jobs", args.jobs.is_some()), ("--no-merge", args.no_merge)];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

/// Has a signal that asks for an end cut the search, so that what was found is told.
fn interrupts_searches() {
    note_interruptions();
    std::thread::spawn(|| {
        while interruption().is_none() {
            std::thread::sleep(OFTEN);
        }
        interrupt();
    });
}

/// How often it is asked whether a signal has come.
const OFTEN: Duration = Duration::from_millis(20);
/// Behaviours that are followed at random where a search of all hits a bound.
const BESIDE: usize = 100;

/// What the command comes to.
pub(crate) fn shown(found: &Found) -> Verdict {
    match () {
        () if found.is_wrong() => Verdict::Bad,
        () if found.is_well() => Verdict::Good,
        () => Verdict::Undecided,
    }
}

/// Follows a program, which finds these variables in its environment.
pub(crate) fn follow(args: &VerifyArgs, environment: Vec<(String, String)>) -> Result<Found, Report> {
    told_of(&run_of(args, environment)?, args)
}

/// What is told of what was found.
fn told_of(run: &Run, args: &VerifyArgs) -> Result<Found, Report> {
    let mut found = follow_with(run, &mut ())?;
    if args.allow_leaks {
        found.findings.retain(|f| f.bad != Bad::Leak);
    }
    Ok(found)
}

/// Follows a program, or one behaviour of it, which somebody watches.
pub(crate) fn follow_with(run: &Run, watcher: &mut dyn Watcher) -> Result<Found, Report> {
    explore_with(run, watcher).map_err(|stopped| match stopped {
        Stopped::Input(why) => Diagnostic::general(why).into(),
        Stopped::Rules(report) => report,
    })
}

/// What is to be followed, and how.
pub(crate) fn run_of(args: &VerifyArgs, environment: Vec<(String, String)>) -> Result<Run, Report> {
    let model = Models::default().named(&args.model)?;
    let Model::Rules(spec) = &*model else {
        let d = Diagnostic::general(format!("{} is a model of relations", args.model));
        return Err(d.help("a program runs under rules: --model mpi").into());
    };
    Ok(Run {
        command: args.command.clone(),
        ranks: args.ranks,
        environment,
        spec: std::sync::Arc::clone(spec),
        variant: args.variant.clone(),
        bounds: Bounds {
            states: args.max_states,
            bytes: args.max_memory << 20,
            clock: args.max_seconds.map(Clock::of),
            ..Bounds::default()
        },
        search: match args.search {
            None => Search::Auto,
            Some(SearchArg::Full) => Search::Full,
            Some(SearchArg::Reduced) => Search::Reduced,
            Some(SearchArg::Footprints) => Search::Footprints,
        },
        threads: parallel::threads(args.jobs),
        races: args.allow_races,
        typed: !args.allow_type_mismatch,
        merges: !args.no_merge,
        runs: !args.one_by_one,
        returns: args.return_unsupported,
        patience: Duration::from_secs(args.patience),
        sample: args.random.map(|n| Sample { number: n as usize, seed: args.seed.unwrap_or_default() }),
        beside: Some(Sample { number: BESIDE, seed: args.seed.unwrap_or_default() }),
        again: None,
        observe: args.observe.clone(),
        cache: cache(),
        reach: None,
    })
}

/// `litmpi cc`, `litmpi c++`, `litmpi fc`: this process becomes MPICH's compiler.
pub(crate) fn compile(source: Source, args: &CompileArgs) -> Result<Verdict, Report> {
    if let Some(option) = other_sanitizer(&args.args) {
        remark(&format!(
            "with {option}, accesses to memory are not instrumented: they are looked at only when the program makes a call"
        ));
    }
    let Err(why) = compiler(source, &args.args, &cache());
    Err(Diagnostic::general(why).into())
}

/// The answer in one word.
pub(crate) fn word(found: &Found) -> &'static str {
    if found.is_wrong() {
        found.findings[0].bad.name()
    } else if found.is_clean() {
        "correct"
    } else if found.is_well() {
        "nothing found"
    } else {
        "undecided"
    }
}

pub(crate) fn as_json(found: &Found, args: &VerifyArgs) -> serde_json::Value {
    json!({
        "command": args.command, "ranks": args.ranks, "model": args.model, "variant": args.variant,
        "verdict": word(found), "complete": found.complete && found.refusals.is_empty(), "findings": found.findings, "unsupported": found.unsupported,
        "accesses": found.accesses, "fewer_threads": found.fewer_threads, "ends": found.ends,
        "bounds": found.bounds.iter().filter(|b| **b != Bound::Loops).map(ToString::to_string).collect::<Vec<_>>(),
        "refusals": found.refusals, "returned": found.returned, "states": found.states, "transitions": found.transitions, "calls": found.calls,
        "looked_at": found.looked_at, "beside": found.beside,
        "sampled": found.sampled, "replayed": found.replayed, "written": found.written, "processes": found.processes, "copies": found.copies, "searches": found.rounds,
    })
}

pub(crate) fn as_text(found: &Found, args: &VerifyArgs) -> String {
    let mut out = String::new();
    for (rank, text) in found.written.iter().enumerate() {
        for line in text.lines() {
            let _ = writeln!(out, "[{rank}] {}", litmpi_spec::visible::visible(line));
        }
    }
    if !args.observe.is_empty() {
        out += &ends(found);
    }
    for f in &found.findings {
        out += &finding(f, args);
    }
    for what in &found.unsupported {
        let _ = writeln!(out, "unsupported: {what}");
    }
    // Where a process is not followed its thread is lost as behind the unrolling of a loop: why that is was said.
    for bound in found.bounds.iter().filter(|b| **b != Bound::Loops) {
        let _ = writeln!(out, "bound reached: {bound}");
    }
    for what in &found.returned {
        let _ = writeln!(out, "an error was returned, and the program went on: {what}");
    }
    for refusals in &found.refusals {
        let _ = writeln!(out, "bound reached: {refusals}");
    }
    if found.findings.iter().any(|f| f.bad == Bad::Race) {
        out += "a race is no error in the unified memory model, where its outcome depends on the implementation: with --allow-races none is told\n";
    }
    if found.is_clean() && !found.accesses {
        out +=
            "loads, and stores that change nothing, were not seen: `litmpi cc` compiles a program so that they are\n";
    }
    if found.is_clean() && found.fewer_threads {
        out += "MPI_Init_thread gave MPI_THREAD_FUNNELED, and more was asked for: what the program does only where it is given more was not followed\n";
    }
    let many = |n: usize, one: &str, several: &str| format!("{n} {}", if n == 1 { one } else { several });
    let n = |n: usize, what: &str| many(n, what, &format!("{what}s"));
    if let Some(beside) = &found.beside {
        let came = if beside.found { "the last one is told above" } else { "nothing found" };
        let followed = n(beside.behaviours, "behaviour");
        let endless = match beside.endless {
            0 => String::new(),
            some => format!(" ({some} of them to no end)"),
        };
        let seed = beside.seed;
        let _ =
            writeln!(out, "not all behaviours: beside the search {followed} at random{endless}, seed {seed}: {came}");
    }
    // A search that was cut may have had no time to search again what was known.
    let (states, transitions) = match Bound::stopped(&found.bounds) {
        true => (found.looked_at.max(found.states), found.crossed.max(found.transitions)),
        false => (found.states, found.transitions),
    };
    let _ = writeln!(
        out,
        "{}: {} of {} ({}, {}; {}, {}; {})",
        word(found),
        match found.sampled {
            Some(many_of) => n(many_of, "behaviour") + " at random",
            None if found.replayed => "the saved behaviour".into(),
            None if found.complete && !found.refusals.is_empty() => "every behaviour within this bound".into(),
            None if found.complete => "every behaviour".into(),
            None => "some behaviours".into(),
        },
        n(args.ranks, "rank"),
        n(states, "state"),
        n(transitions, "transition"),
        n(found.calls, "call"),
        many(found.processes + found.copies, "process", "processes"),
        match found.sampled {
            Some(_) => n(found.rounds, "walk"),
            None if found.replayed => n(found.rounds, "walk"),
            None => many(found.rounds, "search", "searches"),
        },
    );
    out
}

/// The ways in which the program ends.
fn ends(found: &Found) -> String {
    let mut out = String::new();
    for (number, ranks) in found.ends.iter().enumerate() {
        let _ = writeln!(out, "end {} of {}:", number + 1, found.ends.len());
        for (rank, end) in ranks.iter().enumerate() {
            let variables = end.variables.iter().map(|(name, value)| format!("{name} = {value}"));
            let code = (end.code != 0).then(|| format!("exit code {}", end.code));
            let printed = end.stdout.iter().flat_map(|text| text.lines()).map(str::to_owned);
            for line in printed.chain(variables).chain(code) {
                let _ = writeln!(out, "  [{rank}] {}", litmpi_spec::visible::visible(&line));
            }
        }
    }
    out
}

fn finding(f: &Finding, args: &VerifyArgs) -> String {
    let mut out = f.bad.name().to_owned();
    if let Some(rank) = f.rank {
        let _ = write!(out, ", rank {rank}");
    }
    if let Some(at) = &f.at {
        let _ = write!(out, ", {at}");
    }
    let _ = writeln!(out, ": {}", f.what);
    if !f.clause.is_empty() {
        let _ = writeln!(out, "  by {}", f.clause);
    }
    for line in &f.wrote {
        let _ = writeln!(out, "  it wrote: {}", litmpi_spec::visible::visible(line));
    }
    if args.trace {
        for line in &f.trace {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}
