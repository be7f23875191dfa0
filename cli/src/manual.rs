//! What shells and `man` read about the command, made of the same declarations as `--help`.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::{Verdict, say};
use clap::CommandFactory;
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::Path;

/// Prints what a shell completes by.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Verdict, Report> {
    let mut out = vec![];
    clap_complete::generate(args.shell, &mut Cli::command(), "litmpi", &mut out);
    say(&String::from_utf8_lossy(&out));
    Ok(Verdict::Good)
}

/// Writes a page for the command and each of its subcommands.
pub(crate) fn man(args: &ManArgs) -> Result<Verdict, Report> {
    let wrong = |path: &Path, e: std::io::Error| {
        let d = Diagnostic::general(format!("cannot write {}: {e}", path.display()));
        Report::from(d.help("name a folder that can be written with -o"))
    };
    std::fs::create_dir_all(&args.output).map_err(|e| wrong(&args.output, e))?;
    let mut root = Cli::command();
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
        std::fs::write(&path, text).map_err(|e| wrong(&path, e))?;
    }
    say(&format!("{} pages in {}\n", pages.len(), args.output.display()));
    Ok(Verdict::Good)
}
