//! What shells and `man` read about the command, made of the same declarations as `--help`.

use crate::help::shown;
use crate::{Verdict, say, whole};
use clap::{Arg, Args, Command};
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder that the pages are written to
    #[arg(long, short, value_name = "DIR", default_value = "man")]
    pub(crate) output: PathBuf,
    /// Print one page in Markdown with every option instead
    #[arg(long, conflicts_with = "output")]
    pub(crate) markdown: bool,
}

/// Prints what a shell completes by.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Verdict, Report> {
    let mut out = vec![];
    clap_complete::generate(args.shell, &mut shown(), "litmpi", &mut out);
    say(&String::from_utf8_lossy(&out));
    Ok(Verdict::Good)
}

/// Writes a page for the command and each of its subcommands.
pub(crate) fn man(args: &ManArgs) -> Result<Verdict, Report> {
    if args.markdown {
        say(&markdown());
        return Ok(Verdict::Good);
    }
    let wrong = |path: &Path, e: std::io::Error| {
        let d = Diagnostic::general(format!("cannot write {}: {e}", path.display()));
        Report::from(d.help("name a folder that can be written with -o"))
    };
    std::fs::create_dir_all(&args.output).map_err(|e| wrong(&args.output, e))?;
    let mut root = shown();
    root.build();
    let mut pages = vec![(root.clone(), "litmpi".to_owned())];
    let mut at = 0;
    while at < pages.len() {
        let (command, name) = pages[at].clone();
        let inner = command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help");
        pages.extend(inner.map(|c| (c.clone(), format!("{name}-{}", c.get_name()))));
        at += 1;
    }
    for (command, name) in &pages {
        let path = args.output.join(format!("{name}.1"));
        let mut text = vec![];
        // A page has its own name; clap asks for names that live as long as the program.
        let titled = command.clone().name(&*Box::leak(name.clone().into_boxed_str()));
        clap_mangen::Man::new(titled).render(&mut text).map_err(|e| wrong(&path, e))?;
        whole::write(&path, text).map_err(|e| wrong(&path, e))?;
    }
    say(&format!("{} pages in {}\n", pages.len(), args.output.display()));
    Ok(Verdict::Good)
}

/// Every option of every command, as a page of the book; those of all commands stand once.
fn markdown() -> String {
    let mut root = shown();
    root.build();
    let mut out = "# Every option\n\nThis page is what `litmpi man --markdown` prints. `litmpi COMMAND --help` says the same of one command.\n\n\
                   ## Of every command\n\n"
        .to_owned();
    let is_shown = |a: &&Arg| !a.is_hide_set() && !matches!(a.get_id().as_str(), "help" | "version");
    root.get_arguments().filter(is_shown).for_each(|a| out.push_str(&option(a)));
    let mut commands: Vec<(String, &Command)> = vec![(String::new(), &root)];
    while let Some((name, command)) = commands.pop() {
        let inner: Vec<&Command> =
            command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").collect();
        if inner.is_empty() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            out.push_str(&format!("\n## `litmpi{name}`\n\n{}.\n\n", in_markdown(&about)));
            command
                .get_arguments()
                .filter(is_shown)
                .filter(|a| !a.is_global_set())
                .for_each(|a| out.push_str(&option(a)));
        }
        commands.extend(inner.into_iter().rev().map(|c| (format!("{name} {}", c.get_name()), c)));
    }
    out
}

/// An option, as an item of a list.
fn option(arg: &Arg) -> String {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let values: Vec<String> = arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect();
    let takes = arg.get_num_args().is_some_and(|n| n.takes_values());
    let value = if takes { format!(" {}", values.join(" ")) } else { String::new() };
    let name = match (long, short) {
        (Some(long), Some(short)) => format!("`{long}{value}`, `{short}`"),
        (Some(name), None) | (None, Some(name)) => format!("`{name}{value}`"),
        (None, None) => format!("`{}`", value.trim()),
    };
    let says = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut out = format!("- {name}: {}", in_markdown(says.trim_end()));
    let one_of: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|v| takes && !v.is_hide_set())
        .map(|v| match v.get_help() {
            Some(says) => format!("`{}` ({})", v.get_name(), in_markdown(&says.to_string())),
            None => format!("`{}`", v.get_name()),
        })
        .collect();
    if !out.ends_with(['.', '?', '!', ':']) {
        out.push('.');
    }
    if !one_of.is_empty() {
        out.push_str(&format!(" One of {}.", one_of.join(", ")));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().filter(|_| takes).map(|d| format!("`{}`", d.to_string_lossy())).collect();
    if !defaults.is_empty() {
        out.push_str(&format!(" Without it, {}.", defaults.join(", ")));
    }
    out + "\n"
}

/// A sentence of a declaration, of which nothing is markup but what stands in backquotes.
fn in_markdown(text: &str) -> String {
    let part = |(i, part): (usize, &str)| match i % 2 {
        0 => part.replace('<', "&lt;").replace('*', "\\*").replace('_', "\\_").replace('\n', " "),
        _ => format!("`{part}`"),
    };
    text.split('`').enumerate().map(part).collect()
}
