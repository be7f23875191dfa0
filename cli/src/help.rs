//! Help: on its first page the commands by what a user wants, in the words of their declarations; on that of a command its own options.

use crate::args::{Cli, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Subcommand};
use std::ffi::OsString;

/// What to begin with.
pub(crate) const BEGINNING: &str = "\
Begin with:
  litmpi enumerate @mpi/order-causal    what may a test of the library come to?
  litmpi run @mpi --target mpich        does a library do only that?
  litmpi verify -n 3 -- ./program       may an MPI program of yours go wrong?
  litmpi doctor                         what is installed, and what is missing?
`litmpi COMMAND --help` has the options of a command. Exit codes: 0 good, 1 a violation or a verdict
that does not hold, 2 input to be mended, 3 a bound was reached first, 4 nothing was run.";

/// The commands, most wanted first.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Libraries and devices under test",
        &[
            "run", "report", "serve", "known", "shrink", "campaign", "tune", "suite", "emit", "targets", "doctor",
            "nic", "lab",
        ],
    ),
    ("MPI programs of your own", &["verify", "mpi", "cc", "c++", "fc"]),
    (
        "Tests",
        &[
            "enumerate",
            "explain",
            "explore",
            "check",
            "compare",
            "robust",
            "mend",
            "list",
            "fmt",
            "lsp",
            "generate",
            "distinguish",
        ],
    ),
    (
        "Rules, models and layers",
        &["coverage", "mutate", "claims", "laws", "refine", "layers", "functions", "clauses", "cells", "pivots"],
    ),
    ("This command", &["merge", "completions", "man", "help"]),
];

/// Columns that a line of the page may have, and those before the description of a command.
const WIDTH: usize = 100;
const INDENT: usize = 15;

/// The page, with clap's own parts in braces.
pub(crate) fn template() -> String {
    let mut out = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let all = Command::augment_subcommands(clap::Command::new("litmpi"));
    for (heading, names) in GROUPS {
        out.push_str(&format!("\n{heading}:\n"));
        for name in names {
            let about = all.find_subcommand(name).and_then(clap::Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this page, or that of a command".to_owned());
            let mut lines = wrapped(&about).into_iter();
            out.push_str(&format!("  {name:<width$}{}\n", lines.next().unwrap_or_default(), width = INDENT - 2));
            lines.for_each(|line| out.push_str(&format!("{:INDENT$}{line}\n", "")));
        }
    }
    out + "\nOptions:\n{options}{after-help}"
}

/// The commands that can be divided into shards ([`Cli::has_shards`]).
const SHARDED: [&str; 5] = ["enumerate", "check", "compare", "run", "campaign"];
/// Those that have no tests, of which nothing could be missing.
const WITHOUT_TESTS: [&str; 15] = [
    "nic",
    "verify",
    "launch",
    "cc",
    "c++",
    "fc",
    "targets",
    "doctor",
    "lab",
    "completions",
    "man",
    "fmt",
    "lsp",
    "generate",
    "functions",
];

/// The command line as help, manual pages and shells show it: an option of many commands is shown with those in which it means something.
pub(crate) fn shown() -> clap::Command {
    let all = Cli::command();
    let option = |id: &str| all.get_arguments().find(|a| a.get_id() == id).expect("it is declared").clone().hide(true);
    let (shards, no_tests) = ([option("shard"), option("shards")], option("no_tests"));
    let names: Vec<String> = all.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    // Each goes to the end, so that they stay in order.
    names.iter().fold(all, |all, name| {
        all.mut_subcommand(name, |c| {
            let c = if SHARDED.contains(&name.as_str()) { c } else { c.args(&shards) };
            if WITHOUT_TESTS.contains(&name.as_str()) { c.arg(&no_tests) } else { c }
        })
    })
}

/// A description in lines that fit beside the names.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        match last.len() + 1 + word.len() {
            _ if last.is_empty() => last.push_str(word),
            n if n <= WIDTH - INDENT => *last = format!("{last} {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Commands that run a program of the user's, which stands behind `--`.
const RUN: [&str; 3] = ["verify", "mpi", "nic"];

/// What is wrong with the command line, with a tip where a program was named without `--`.
pub(crate) fn with_tip(mut wrong: clap::Error, arguments: &[OsString]) -> clap::Error {
    let command = arguments.iter().filter_map(|a| a.to_str()).find(|a| RUN.contains(a));
    let unexpected = match wrong.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if !word.starts_with('-') => Some(word.clone()),
        _ => None,
    };
    if let (ErrorKind::UnknownArgument, Some(command), Some(word)) = (wrong.kind(), command, unexpected) {
        let tip = format!("a program and its arguments stand behind `--`: litmpi {command} -- {word}");
        wrong.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn every_command_has_one_place_on_the_page() {
        let all = Command::augment_subcommands(clap::Command::new("litmpi"));
        let mut there: Vec<&str> =
            all.get_subcommands().filter(|c| !c.is_hide_set()).map(clap::Command::get_name).chain(["help"]).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        there.sort_unstable();
        listed.sort_unstable();
        assert_eq!(there, listed);
    }
    #[test]
    fn shards_are_shown_with_the_commands_that_have_them() {
        let mut read = 0;
        for command in Cli::command().get_subcommands() {
            // A command that takes a test takes any word for one; a campaign makes its own.
            let words = [&["litmpi", command.get_name(), "test"][..], &["litmpi", command.get_name()]];
            if let Some(cli) = words.into_iter().find_map(|words| Cli::try_parse_from(words).ok()) {
                assert_eq!(cli.has_shards(), SHARDED.contains(&command.get_name()), "{}", command.get_name());
                read += usize::from(cli.has_shards());
            }
        }
        assert_eq!(read, SHARDED.len());
    }
}
