//! `litmpi generate`: tests whose verdicts are known by how they are made, and random programs.

mod args;
mod cycles;
mod every;
mod judge;
mod many;
mod mpi_cycles;
mod programs;
mod rdma;
mod seeds;

use crate::whole::write_file;
use crate::{Verdict, parallel, say};
pub(crate) use args::{GenerateArgs, GenerateWhat};
use litmpi_engine::search::Walks;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::cycles::cycles;
use litmpi_litmus::parse;
use litmpi_models::Model;
use litmpi_mpi_model::{MODELS, Operational, Setup};
use litmpi_spec::decl::Form;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
pub(crate) use programs::{ProgramsArgs, Random};
pub(crate) use seeds::{InBlock, Seeds};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn generate(args: &GenerateArgs) -> Result<Verdict, Report> {
    args.fits()?;
    match args.what {
        GenerateWhat::Rdma => rdma::rdma(args),
        GenerateWhat::X86 => x86(args),
        GenerateWhat::Mpi if args.every => every::every(args),
        GenerateWhat::Mpi if args.cycles || args.cycle.is_some() || args.edges.is_some() => mpi_cycles::cycles(args),
        GenerateWhat::Mpi => mpi(args),
    }
}

fn x86(args: &GenerateArgs) -> Result<Verdict, Report> {
    let tests = (2..=args.size()).flat_map(cycles);
    let Some(dir) = args.folder() else {
        for cycle in tests {
            if args.prints() {
                say(&cycle.text());
                continue;
            }
            let tso = if cycle.tso_allows() { "allowed" } else { "forbidden" };
            say(&format!("{} tso {tso}, sc forbidden\n", cycle.name()));
        }
        return Ok(Verdict::Good);
    };
    let all: Vec<(String, String)> = tests.map(|cycle| (cycle.name(), cycle.text())).collect();
    write(dir, &all)?;
    let (n, dir) = (all.len(), dir.display());
    say(&format!("{n} tests in {dir}; hold the models against them with `litmpi check {dir}`\n"));
    Ok(Verdict::Good)
}

/// Programs that were made, by name, and what was left out.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) programs: Vec<(String, String)>,
    pub(crate) erroneous: u64,
    pub(crate) large: u64,
    /// Programs that free a communicator, or have a window, and leave a message, a request or an epoch behind.
    pub(crate) leaving: u64,
    /// Programs in which no mistake was found that makes them erroneous, where that is asked for.
    pub(crate) legal: u64,
    /// Programs that are kept and can only deadlock.
    pub(crate) stuck: u64,
    /// Programs that were passed over: those that can only deadlock of which there are enough, and those without a call.
    pub(crate) too_stuck: u64,
    pub(crate) idle: u64,
    /// Those after the last program.
    pub(crate) seeds: Seeds,
}

/// Which programs are kept of those that can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    All,
    /// Those with calls, and of those that can only deadlock few.
    Lively,
}

/// Random programs of these seeds, without those that are erroneous or too large to be searched in full: nothing can be
/// held against a library that runs them. Of several kinds, each seed is of the next one. Those that have come are given to `keep`, a few at a time, so
/// that none is lost if this is ended early.
///
/// # Errors
/// A program that cannot be read or searched, or kept; too many one after the other that are left out.
pub(crate) fn some_programs(
    seeds: Seeds,
    wanted: usize,
    (of, keeps): (&[Random], Keeps),
    model: &Model,
    jobs: Option<usize>,
    mut keep: impl FnMut(&[(String, String)]) -> Result<(), Report>,
) -> Result<Kept, Report> {
    let mut out =
        Kept { programs: vec![], erroneous: 0, large: 0, leaving: 0, legal: 0, stuck: 0, too_stuck: 0, idle: 0, seeds };
    let kind = |seed: u64| &of[usize::try_from(seed % of.len() as u64).unwrap_or_default()];
    let (mut last, mut in_vain) = (seeds.next, 0);
    while out.programs.len() < wanted {
        if in_vain > IN_VAIN {
            return Err(none_of(in_vain, last, &out));
        }
        let before = out.programs.len();
        let seeds: Vec<u64> =
            out.seeds.take((wanted - before).clamp(parallel::threads(jobs).min(AT_ONCE), AT_ONCE)).collect();
        let found = parallel::map(&seeds, jobs, "generating", |s| made(*s, kind(*s), model.spec()));
        for (seed, found) in seeds.into_iter().zip(found) {
            if out.programs.len() == wanted {
                break;
            }
            in_vain += 1;
            let (name, text, use_of) = found?;
            let is_stuck = matches!(use_of, Use::Stuck);
            match use_of {
                Use::Idle if keeps == Keeps::Lively => out.idle += 1,
                Use::Stuck if keeps == Keeps::Lively && out.seeds.has_enough_stuck() => out.too_stuck += 1,
                // Of most generators, a program that never ends is one to run: a library must not end it, either.
                Use::Runs | Use::Idle | Use::Stuck | Use::Mistaken => {
                    out.stuck += u64::from(is_stuck);
                    out.seeds.kept.stuck += u64::from(is_stuck);
                    out.seeds.kept.programs += 1;
                    out.programs.push((name, text));
                    (last, in_vain) = (seed.wrapping_add(1), 0);
                }
                Use::Legal => out.legal += 1,
                Use::Erroneous => out.erroneous += 1,
                Use::Large => out.large += 1,
                Use::Leaves => out.leaving += 1,
            }
            out.seeds.done(seed);
        }
        keep(&out.programs[before..])?;
    }
    Ok(out)
}

/// What is said where one seed after the other stands for a program that is left out.
fn none_of(in_vain: u64, last: u64, kept: &Kept) -> Report {
    let Kept { programs, erroneous, large, leaving, legal, too_stuck, idle, .. } = kept;
    let d = Diagnostic::general(format!(
        "of the {in_vain} programs from seed {last} on, none is to be kept: so far {} were kept, {erroneous} are erroneous, {large} too large, {legal} without a \
         mistake, {leaving} leave something behind, {too_stuck} can only deadlock, {idle} have no call",
        programs.len(),
    ));
    d.help("take other functions, or more of them (`--with`)").into()
}

/// The model that random programs are of: the shipped one of MPI, or that of a file.
///
/// # Errors
/// A file that is no model of MPI.
pub(crate) fn model_of(spec: Option<&Path>) -> Result<Model, Report> {
    let Some(file) = spec else { return Model::named(MODELS[0]) };
    let model = Model::load(file)?;
    if model.instructions().find("MPI_Send").is_none() {
        let d = Diagnostic::general(format!(
            "the model of {} has no `MPI_Send`: random programs are of MPI",
            file.display()
        ));
        return Err(d.help("give a .spec file that imports `spec/mpi/mpi.spec`, or a copy of it").into());
    }
    Ok(model)
}

fn mpi(args: &GenerateArgs) -> Result<Verdict, Report> {
    let model = model_of(args.spec.as_deref())?;
    let of = args.programs.programs(model.spec(), args.mistakes)?;
    let keep = |some: &[(String, String)]| match args.folder() {
        Some(dir) => write(dir, some),
        None => {
            some.iter().for_each(|(_, text)| say(text));
            Ok(())
        }
    };
    let Kept { programs, erroneous, large, leaving, legal, .. } = some_programs(
        Seeds::from(args.seed()),
        args.count(),
        (std::slice::from_ref(&of), Keeps::All),
        &model,
        args.jobs,
        keep,
    )?;
    let Some(dir) = args.folder() else { return Ok(Verdict::Good) };
    let (n, dir) = (programs.len(), dir.display());
    let leaving = match leaving {
        0 => String::new(),
        n => format!(", {n} that leave messages, requests or epochs behind and free a communicator or have a window"),
    };
    if of.mistakes {
        say(&format!(
            "{n} programs with a mistake in {dir}; left out: {erroneous} that had one before, {legal} in which no change makes one, {large} that are too large{leaving}\n"
        ));
        say(&format!("make them C for tools that look for mistakes with `litmpi emit --reproducer {dir}`\n"));
        return Ok(Verdict::Good);
    }
    say(&format!(
        "{n} programs in {dir}; left out: {erroneous} that are erroneous, {large} that are too large{leaving}\n"
    ));
    say(&format!("run them with `litmpi run {dir}`\n"));
    Ok(Verdict::Good)
}

/// What a program is good for.
enum Use {
    Runs,
    /// It has no call.
    Idle,
    /// It never ends.
    Stuck,
    Erroneous,
    Large,
    Leaves,
    /// It is erroneous, as was asked for.
    Mistaken,
    /// It was to be erroneous, and is not.
    Legal,
}

/// The program that comes after so many: its name, its text, and what it is good for.
fn made(after: u64, of: &Random, spec: &Arc<Spec>) -> Result<(String, String, Use), Report> {
    let seed = of.seed(after, &spec.instructions);
    let name = of.program(seed);
    let legal = |text: &str| is_legal(text, spec).unwrap_or(false);
    let text = of.text(seed, &spec.instructions, &legal);
    let good_for = to_be_run(&format!("{}-{seed}.litmus", of.name()), &text, spec)?;
    if of.mistakes && matches!(good_for, Use::Runs | Use::Idle | Use::Leaves | Use::Stuck) {
        let erroneous = |text: &str| matches!(use_of("changed.litmus", text, spec, SMALL), Ok(Use::Erroneous));
        return Ok(match of.mistaken(seed, &text, &erroneous) {
            Some(text) => (name, text, Use::Mistaken),
            None => (name, text, Use::Legal),
        });
    }
    Ok((name, text, good_for))
}

/// What the model says a program is good for that libraries are to run.
fn to_be_run(name: &str, text: &str, spec: &Arc<Spec>) -> Result<Use, Report> {
    Ok(match use_of(name, text, spec, LARGE)? {
        // A library may give the context of a communicator that was freed to a communicator of the next iteration. A message that
        // the program left on the first one then arrives on the second one, and the harness has no handle by which to receive it
        // before. MPI_Finalize is erroneous where something is left (MPI 4.1 §11.2.2), so the model is asked about the program with it.
        Use::Runs | Use::Stuck if text.contains("MPI_Comm_free") || text.contains("MPI_Win_") => {
            match use_of("ended.litmus", &text.replace("\n}", "\n  MPI_Finalize()\n}"), spec, LARGE)? {
                Use::Erroneous => Use::Leaves,
                other => other,
            }
        }
        other => other,
    })
}

/// Whether a program that is being made is legal so far, and may end. Most programs that are not are erroneous wherever they go, which a walk
/// through one execution shows long before a search of all does.
fn is_legal(text: &str, spec: &Arc<Spec>) -> Result<bool, Report> {
    let test = parse(&Source::new("so-far.litmus", text), &spec.instructions)?;
    let model = Operational::new(&test, &within(spec, SMALL))?;
    let walks = model.walks(Walks { number: WALKS, seed: 1, longest: SMALL });
    if walks.is_ok_and(|w| w.outcomes.keys().any(|o| matches!(o, Outcome::Erroneous { .. }))) {
        return Ok(false);
    }
    Ok(matches!(told_by(&test, &model, spec)?, Use::Runs | Use::Idle))
}

/// A search of at most so many states.
fn within(spec: &Arc<Spec>, states: usize) -> Setup {
    let mut setup = Setup::new(Arc::clone(spec));
    setup.bounds.states = states;
    setup
}

/// What the model says a program is good for.
fn use_of(name: &str, text: &str, spec: &Arc<Spec>, most: usize) -> Result<Use, Report> {
    let test = parse(&Source::new(name, text), &spec.instructions)?;
    told_by(&test, &Operational::new(&test, &within(spec, most))?, spec)
}

fn told_by(test: &Test, model: &Operational<'_>, spec: &Spec) -> Result<Use, Report> {
    let outcomes = model.outcomes()?;
    Ok(if outcomes.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) {
        Use::Erroneous
    } else if outcomes.set.iter().all(|o| *o == Outcome::Deadlock) {
        Use::Stuck
    } else if outcomes.complete() {
        let is_call = |i: usize| matches!(spec.instructions.list[i].form, Form::Call);
        if test.calls().iter().any(|c| is_call(c.instr)) { Use::Runs } else { Use::Idle }
    } else {
        Use::Large
    })
}

/// After so many seeds of which none is kept, no more are tried.
const IN_VAIN: u64 = 2000;
/// At most so many random programs are made before they are kept.
const AT_ONCE: usize = 64;
/// A program with more states than this is left out.
const LARGE: usize = 50_000;
/// A program that is being made is to have fewer.
const SMALL: usize = 5_000;
/// Walks through a program that is being made, before it is searched: of more, few tell what the first does not.
const WALKS: usize = 1;

fn write(dir: &Path, tests: &[(String, String)]) -> Result<(), Report> {
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", dir.display())));
    litmpi_scratch::own(dir).map_err(failed)?;
    tests.iter().try_for_each(|(name, text)| write_file(&dir.join(format!("{name}.litmus")), text))
}
