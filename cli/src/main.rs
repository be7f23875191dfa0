//! The command `litmpi`.
//!
//! ```text
//! files ─► load (specification, tests) ─► enumerate | check | explain | emit | run ─► text or JSON
//! ```
//! Exit codes: 0 for good, 1 for a verdict that does not hold or a violation, 2 for input that must be mended, 4 if nothing was
//! run (as cargo-nextest has it).

mod args;
mod check;
mod clauses;
mod compare;
mod coverage;
mod direct;
mod emit;
mod enumerate;
mod explain;
mod functions;
mod generate;
mod kept;
mod known;
mod lab;
mod laws;
mod layers;
mod left_out;
mod load;
mod nic;
mod parallel;
mod progress;
mod refine;
mod run;
mod suite;
mod targets;
mod tune;
mod tuned;

use args::{Cli, Command, NoTests};
use clap::Parser;
use litmpi_runner::process::MARK;
use litmpi_runner::remains::Remains;
use litmpi_spec::diag::Report;
use std::io::IsTerminal;
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
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("LITMPI_LOG"))
        .with_writer(std::io::stderr)
        .init();
    // In a launch, whoever launched it has done so.
    let is_launched = std::env::var_os(MARK).is_some();
    if !is_launched && matches!(cli.command, Command::Run(_) | Command::Tune(_) | Command::Nic(_) | Command::Lab(_)) {
        clear();
    }
    let done = match &cli.command {
        Command::Enumerate(a) => enumerate::enumerate(a),
        Command::Check(a) => check::check(a),
        Command::Coverage(a) => coverage::coverage(a),
        Command::Functions(a) => functions::functions(a),
        Command::Clauses(a) => clauses::clauses(a),
        Command::Layers(a) => layers::layers(a),
        Command::Laws(a) => laws::laws(a),
        Command::Compare(a) => compare::compare(a),
        Command::Explain(a) => explain::explain(a),
        Command::Emit(a) => emit::emit(a),
        Command::Generate(a) => generate::generate(a),
        Command::Suite(a) => suite::suite(a),
        Command::Run(a) => run::run(a),
        Command::Refine(a) => refine::refine(a),
        Command::Tune(a) => tune::tune(a),
        Command::Nic(a) => nic::nic(a),
        Command::Targets(a) => targets::targets(a),
        Command::Lab(c) => lab::lab(c),
    };
    match done {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        Ok(Verdict::Mend) => ExitCode::from(2),
        Ok(Verdict::Nothing) if cli.no_tests == NoTests::Pass => ExitCode::SUCCESS,
        Ok(Verdict::Nothing) => {
            eprintln!("error: nothing was run, so nothing can be said to be right");
            eprintln!("  help: with `--no-tests pass` that is no error");
            ExitCode::from(4)
        }
        Err(report) => {
            complain(&report);
            ExitCode::from(2)
        }
    }
}

/// Clears away what was left by one that could not do so itself.
fn clear() {
    let remains = litmpi_runner::remains::clear();
    if remains != Remains::default() {
        let Remains { folders, processes } = remains;
        eprintln!("cleared away what a litmpi that was killed has left: {folders} folders, {processes} processes");
    }
}

/// Prints messages to stderr, in colour on a terminal.
fn complain(report: &Report) {
    let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    eprint!("{}", report.render(color));
}

/// Prints to stdout; a reader that went away (`| head`) is no error.
fn say(text: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
