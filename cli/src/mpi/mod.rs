//! `litmpi mpi`: a command, a program's own test suite for one, whose launches of MPI programs are followed under the rules.
//!
//! The command finds `mpiexec`, `mpirun` and their other names in a folder that stands first in its PATH. Each is this command again, as
//! `litmpi launch`: it follows one behaviour of the program at random, writes what the program's ranks wrote, rank by rank, and ends with the program's
//! exit code. `mpicc` and its like are there, too, and compile so that loads and stores are seen. What is wrong with a launch is told on standard error
//! and by its exit code, and what all launches came to at the end.
//!
//! Limits: what ranks write to standard output and to standard error is one text, that is written when the program is over, the last 64 KiB of each rank;
//! standard input is empty unless it is a file; several programs in one launch are refused, and so are programs that a script starts.

mod launch;

use crate::args::VerifyArgs;
use crate::verify::{follow, of_a_search, word};
use crate::{Verdict, remark, say};
use launch::Launch;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_verify::{Bad, Launchers, answer, note, seed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;

/// What a launch came to.
#[derive(Debug, Serialize, Deserialize)]
struct Launched {
    program: Vec<String>,
    ranks: usize,
    folder: String,
    seed: u64,
    verdict: String,
    /// What is wrong, or what was not followed.
    says: Vec<String>,
}

/// Runs a command, and says what its launches came to.
pub(crate) fn mpi(args: &VerifyArgs) -> Result<Verdict, Report> {
    let failed = |e: std::io::Error| Report::from(Diagnostic::general(format!("{}: {e}", args.command[0])));
    let litmpi = std::env::current_exe().map_err(failed)?;
    let options = options();
    if options.iter().any(|o| o.starts_with("--ranks") || o.starts_with("-n")) {
        let d = Diagnostic::general("how many ranks a program has is for its launch to say");
        return Err(d.help("as in `litmpi mpi -- mpiexec -n 3 ./program`").into());
    }
    let unheard = [("--json", args.json), ("--trace", args.trace), ("--observe", !args.observe.is_empty())];
    if let Some((name, _)) = unheard.into_iter().find(|(_, given)| *given) {
        let d = Diagnostic::general(format!(
            "`{name}` is not for the launches of a command, of which each is told in a line"
        ));
        return Err(d.help(format!("follow one of them by itself: `litmpi verify {name} … -- ./program`")).into());
    }
    if let Some(name) = of_a_search(args) {
        let d = Diagnostic::general(format!(
            "`{name}` is not for the launches of a command, of which each follows behaviours at random"
        ));
        let help = format!("search all behaviours of one of them by itself: `litmpi verify {name} … -- ./program`");
        return Err(d.help(help).into());
    }
    let launch: Vec<String> =
        std::iter::once("launch".to_owned()).chain(options.clone()).chain(["--".to_owned()]).collect();
    let launchers = Launchers::make(&litmpi.to_string_lossy(), &launch).map_err(failed)?;
    let (status, launches) = launchers.run(&args.command).map_err(failed)?;
    let launches: Vec<Launched> = launches.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    summary(&launches, &seedless(&options), args);
    let code = status.code().or(status.signal().map(|s| 128 + s)).unwrap_or(1);
    let number = |of: &dyn Fn(&str) -> bool| launches.iter().filter(|l| of(&l.verdict)).count();
    let undecided = number(&|v| v == "undecided");
    let good = number(&|v| ["correct", "nothing found", "exit"].contains(&v));
    Ok(match u8::try_from(code) {
        Ok(0) if launches.is_empty() => Verdict::Nothing,
        Ok(0) => Verdict::of(launches.len() - undecided - good, undecided),
        Ok(code) => Verdict::Ended(code),
        Err(_) => Verdict::Bad,
    })
}

/// The options that this command was called with: those of its launches.
fn options() -> Vec<String> {
    let own = std::env::args().skip(1).skip_while(|a| a != "mpi").skip(1);
    own.take_while(|a| a != "--").collect()
}

/// Options without the seed, of which each launch has its own.
fn seedless(options: &[String]) -> Vec<String> {
    let mut all = options.iter();
    let mut out = vec![];
    while let Some(option) = all.next() {
        if option == "--seed" {
            all.next();
        } else if !option.starts_with("--seed=") {
            out.push(option.clone());
        }
    }
    out
}

fn summary(launches: &[Launched], options: &[String], args: &VerifyArgs) {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    launches.iter().for_each(|l| *verdicts.entry(&l.verdict).or_default() += 1);
    let each: Vec<String> = verdicts.iter().map(|(verdict, n)| format!("{n} {verdict}")).collect();
    let programs = if launches.len() == 1 { "program" } else { "programs" };
    let each = if each.is_empty() { String::new() } else { format!(": {}", each.join(", ")) };
    remark(&format!("litmpi: {} launched {} MPI {programs} under the rules{each}", args.command[0], launches.len()));
    for l in launches.iter().filter(|l| !l.says.is_empty()) {
        remark(&format!("litmpi: {}, {} ranks, {}", l.verdict, l.ranks, l.program.join(" ")));
        l.says.iter().for_each(|line| remark(&format!("  {line}")));
        let random = if args.random.is_none() { "--random 1 " } else { "" };
        let options: String = options.iter().map(|o| format!("{o} ")).collect();
        let again =
            format!("litmpi verify -n {} {random}--seed {} {options}-- {}", l.ranks, l.seed, l.program.join(" "));
        remark(&format!("  again: cd {} && {again}", l.folder));
    }
}

/// Follows a behaviour of a program, as its launcher.
pub(crate) fn launch(args: &VerifyArgs) -> Result<Verdict, Report> {
    if let Some(asked) = answer(&args.command) {
        let status = asked.map_err(|e| Report::from(Diagnostic::general(format!("{}: {e}", args.command[0]))))?;
        return Ok(match status.code().map(u8::try_from) {
            Some(Ok(0)) => Verdict::Good,
            Some(Ok(code)) => Verdict::Ended(code),
            _ => Verdict::Bad,
        });
    }
    let launch = Launch::read(&args.command)?;
    if let Some(folder) = &launch.folder {
        let failed = |e| Report::from(Diagnostic::general(format!("{}: {e}", folder.display())));
        std::env::set_current_dir(folder).map_err(failed)?;
    }
    let random = args.random.unwrap_or(1);
    let of: Vec<String> = std::iter::once(launch.ranks.to_string()).chain(launch.program.clone()).collect();
    let seed = seed(args.seed.unwrap_or_default(), &of);
    let args = VerifyArgs {
        ranks: launch.ranks,
        command: launch.program.clone(),
        random: Some(random),
        seed: Some(seed),
        ..args.clone()
    };
    let found = follow(&args, launch.environment)?;
    found.written.iter().for_each(|text| say(text));
    // How a program ends by itself is its own affair, and its launcher's exit code.
    let wrong = found.findings.iter().filter(|f| f.bad != Bad::Exit);
    let at = |at: &Option<String>| at.as_ref().map_or(String::new(), |at| format!(", {at}"));
    let says: Vec<String> = wrong
        .map(|f| {
            format!(
                "{}{}{}: {}",
                f.bad.name(),
                f.rank.map_or(String::new(), |r| format!(", rank {r}")),
                at(&f.at),
                f.what
            )
        })
        .chain(found.unsupported.iter().map(|what| format!("unsupported: {what}")))
        .chain(found.bounds.iter().map(|b| format!("bound reached: {b}")))
        .collect();
    says.iter().for_each(|line| remark(&format!("litmpi: {line}")));
    let is_wrong = found.findings.iter().any(|f| f.bad != Bad::Exit);
    let folder = std::env::current_dir().map_or(String::new(), |d| d.to_string_lossy().into_owned());
    let launched =
        Launched { program: args.command, ranks: args.ranks, folder, seed, verdict: word(&found).to_owned(), says };
    let line = serde_json::to_string(&launched).expect("a launch is text and numbers");
    note(&line).map_err(|e| Report::from(Diagnostic::general(format!("a launch cannot be written down: {e}"))))?;
    Ok(match u8::try_from(found.exit) {
        _ if is_wrong => Verdict::Bad,
        Ok(0) if !found.is_well() => Verdict::Undecided,
        Ok(0) => Verdict::Good,
        Ok(code) => Verdict::Ended(code),
        Err(_) => Verdict::Bad,
    })
}
