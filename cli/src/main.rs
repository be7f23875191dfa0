//! The command `litmpi`.
//!
//! ```text
//! files ─► load (specification, tests) ─► enumerate | check | explain | emit | run ─► text or JSON
//! ```
//! Exit codes: 0 for good, 1 for a verdict that does not hold or a violation, 2 for input that must be mended, or output that
//! could not be written, 3 for what is not decided because a bound was reached, 4 if nothing was run (as cargo-nextest has it), and
//! 128 and the signal's number if a signal ended a run.

mod across;
mod args;
mod campaign;
mod cells;
mod check;
mod claims;
mod clauses;
mod compare;
mod course;
mod cover;
mod coverage;
mod direct;
mod distinguish;
mod doctor;
mod emit;
mod ended;
mod enumerate;
mod explain;
mod explore;
mod filter;
mod fmt;
mod functions;
mod generate;
mod habits;
mod help;
mod inside;
mod kept;
mod known;
mod lab;
mod laws;
mod layers;
mod left_out;
mod library;
mod list;
mod load;
mod lsp;
mod manual;
mod mend;
mod mpi;
mod mutate;
mod nic;
mod page;
mod parallel;
mod pivots;
mod progress;
mod refine;
mod refused;
mod replay;
mod report;
mod reproducer;
mod robust;
mod run;
mod say;
mod selected;
mod shard;
mod shrink;
mod stream;
mod suite;
mod targets;
mod tune;
mod tuned;
mod unfinished;
mod verify;
mod whole;
mod words;

use args::{Cli, Command, NoTests};
use campaign::CampaignArgs;
use clap::Parser;
use clap::error::ErrorKind;
use litmpi_runner::process::MARK;
use litmpi_runner::remains::Remains;
use litmpi_runner::{exit_code, interruption};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_verify::Source;
use say::{all_is_written, remark, say, tell, unwritten};
use shard::{FOLDER, Shard};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a command ended when it could be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Everything as it should be.
    Good,
    /// A stated verdict does not hold, or a library was caught.
    Bad,
    /// Input must be mended; what it is has been said.
    Mend,
    /// Nothing was run, so that nothing can be said to be as it should be.
    Nothing,
    /// Nothing was run where the user says that something is to be, and what was is good; what that is has been said.
    Lacking,
    /// A bound was reached before what was asked for was decided, and nothing is bad.
    Undecided,
    /// A signal ended it early; the exit code is the one that a shell has for that.
    Ended(u8),
}

impl Verdict {
    /// What a command comes to that found so many things bad and so many undecided.
    fn of(bad: usize, undecided: usize) -> Verdict {
        match (bad, undecided) {
            (0, 0) => Verdict::Good,
            (0, _) => Verdict::Undecided,
            _ => Verdict::Bad,
        }
    }
}

fn main() -> ExitCode {
    let arguments = match habits::arguments(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(report) => {
            complain(&report);
            return ExitCode::from(2);
        }
    };
    let mut cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(e) if e.kind() == ErrorKind::DisplayHelp => {
            return without_command(&help::shown().try_get_matches_from(&arguments).err().unwrap_or(e));
        }
        Err(e) => return without_command(&help::with_tip(e, &arguments)),
    };
    if let Err(report) = cli.split_model() {
        complain(&report);
        return ExitCode::from(2);
    }
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("LITMPI_LOG"))
        .with_writer(std::io::stderr)
        .init();
    litmpi_spec::compiled::carry(litmpi_shipped::MODELS);
    // In a launch, whoever launched it has done so.
    let is_launched = std::env::var_os(MARK).is_some();
    if !is_launched
        && matches!(
            cli.command,
            Command::Run(_)
                | Command::Shrink(_)
                | Command::Tune(_)
                | Command::Nic(_)
                | Command::Verify(_)
                | Command::Mpi(_)
                | Command::Lab(_)
        )
    {
        clear();
    }
    let done = match (cli.shard, &cli.command) {
        (None, command) => carry_out(command),
        (Some(shard), Command::Campaign(args)) => campaign_of(args, shard, &cli.shards),
        (Some(shard), command) if cli.has_shards() => {
            shard::work_on(shard, &cli.shards);
            carry_out(command)
        }
        (Some(_), _) => {
            let d = Diagnostic::general("this command is not divided into shards");
            Err(d.help("--shard is for enumerate, check, compare, run and campaign").into())
        }
    };
    let code = match done {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        Ok(Verdict::Undecided) => ExitCode::from(3),
        Ok(Verdict::Mend) => ExitCode::from(2),
        Ok(Verdict::Ended(code)) => ExitCode::from(code),
        Ok(Verdict::Nothing | Verdict::Lacking) if cli.no_tests == NoTests::Pass => ExitCode::SUCCESS,
        Ok(Verdict::Lacking) => ExitCode::from(4),
        Ok(Verdict::Nothing) => {
            remark("error: nothing was run, so nothing can be said to be right");
            remark("  help: with `--no-tests pass` that is no error");
            ExitCode::from(4)
        }
        Err(report) => {
            complain(&report);
            // What could not be done because of a signal was not wrong.
            ExitCode::from(interruption().map_or(2, exit_code))
        }
    };
    or_unwritten(code)
}

/// One shard of a campaign, which stands in the campaign's own folder.
fn campaign_of(args: &CampaignArgs, shard: Shard, shards: &Path) -> Result<Verdict, Report> {
    if shards != Path::new(FOLDER) {
        let d = Diagnostic::general(
            "`--shards` is not for campaigns, each shard of which has a folder in the campaign's own",
        );
        return Err(d.help("name the campaign's folder: `-o DIR`").into());
    }
    campaign::campaign(args, Some(shard))
}

fn carry_out(command: &Command) -> Result<Verdict, Report> {
    match command {
        Command::Enumerate(a) => enumerate::enumerate(a),
        Command::Campaign(a) => campaign::campaign(a, None),
        Command::Check(a) => check::check(a),
        Command::Coverage(a) => coverage::coverage(a),
        Command::Functions(a) => functions::functions(a),
        Command::Clauses(a) => clauses::clauses(a),
        Command::Layers(a) => layers::layers(a),
        Command::Laws(a) => laws::laws(a),
        Command::Compare(a) => compare::compare(a),
        Command::Distinguish(a) => distinguish::distinguish(a),
        Command::Explain(a) => explain::explain(a),
        Command::Explore(a) => explore::explore(a),
        Command::Robust(a) => robust::robust(a),
        Command::Mend(a) => mend::mend(a),
        Command::Emit(a) => emit::emit(a),
        Command::Generate(a) => generate::generate(a),
        Command::Cells(a) => cells::cells(a),
        Command::Pivots(a) => pivots::pivots(a),
        Command::Suite(a) => suite::suite(a),
        Command::Run(a) => run::run(a),
        Command::Shrink(a) => shrink::shrink(a),
        Command::List(a) => list::list(a),
        Command::Fmt(a) => fmt::fmt(a),
        Command::Lsp(a) => lsp::lsp(a),
        Command::Known(c) => known::known(c),
        Command::Report(a) => page::page(a),
        Command::Serve(a) => page::serve(a),
        Command::Refine(a) => refine::refine(a),
        Command::Tune(a) => tune::tune(a),
        Command::Claims(a) => claims::claims(a),
        Command::Mutate(a) => mutate::mutate(a),
        Command::Nic(a) => nic::nic(a),
        Command::Verify(a) => verify::verify(a),
        Command::Mpi(a) => mpi::mpi(a),
        Command::Launch(a) => mpi::launch(a),
        Command::Cc(a) => verify::compile(Source::C, a),
        Command::Cpp(a) => verify::compile(Source::Cpp, a),
        Command::Fc(a) => verify::compile(Source::Fortran, a),
        Command::Targets(a) => targets::targets(a),
        Command::Doctor(a) => doctor::doctor(a),
        Command::Lab(c) => lab::lab(c),
        Command::Completions(a) => manual::completions(a),
        Command::Man(a) => manual::man(a),
        Command::Merge(a) => merged(&a.files),
    }
}

/// The command that shards are of, with what they hold.
fn merged(files: &[PathBuf]) -> Result<Verdict, Report> {
    if let [folder] = files
        && campaign::is_sharded(folder)
    {
        return campaign::merge(folder);
    }
    let command = shard::merge(files)?;
    let mut cli = Cli::try_parse_from(std::iter::once("litmpi".to_owned()).chain(command))
        .map_err(|e| Report::from(Diagnostic::general("the command of the shards is not one").found(e.to_string())))?;
    cli.split_model()?;
    match cli.command {
        Command::Merge(_) | Command::Run(_) => {
            Err(Diagnostic::general("the command of the shards is not one that is merged").into())
        }
        command => carry_out(&command),
    }
}

/// The exit code, unless something could not be written: that is told, and has its own.
fn or_unwritten(code: ExitCode) -> ExitCode {
    match all_is_written() {
        Ok(()) => code,
        Err(report) => {
            complain(&report);
            ExitCode::from(2)
        }
    }
}

/// Ends the command with an exit code that is not litmpi's own, a program's for one.
fn leave(code: i32) -> ! {
    if let Err(report) = all_is_written() {
        complain(&report);
    }
    std::process::exit(code)
}

/// Arguments that name no command: help or the version, which go to standard output, or a mistake.
fn without_command(e: &clap::Error) -> ExitCode {
    if e.use_stderr() {
        // It shows arguments, and is coloured on a terminal only.
        let text = e.render();
        let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let _ = match color {
            true => write!(std::io::stderr(), "{}", text.ansi()),
            false => write!(std::io::stderr(), "{}", litmpi_spec::visible::visible(&text.to_string())),
        };
        return ExitCode::from(2);
    }
    say(&e.render().to_string());
    or_unwritten(ExitCode::SUCCESS)
}

/// Clears away what was left by one that could not do so itself.
fn clear() {
    let remains = litmpi_runner::remains::clear();
    if remains != Remains::default() {
        let Remains { folders, processes } = remains;
        let some =
            |n: usize, one: &str, more: &str| (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { more }));
        let all = [some(folders.len(), "folder", "folders"), some(processes, "process", "processes")];
        let all: Vec<String> = all.into_iter().flatten().collect();
        remark(&format!("cleared away what a litmpi that was killed has left: {}", all.join(", ")));
    }
}

/// Prints messages to stderr, in colour on a terminal.
fn complain(report: &Report) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // If it cannot be written, nobody can be told.
    let _ = write!(std::io::stderr(), "{}", report.render(color));
}
