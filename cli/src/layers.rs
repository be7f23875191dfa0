//! `litmpi layers`: the refinements of a list, `layers.toml`, carried out one after the other, as a page of tables: what each
//! shipped layer and protocol was held against, how far, and with what verdict; and the smallest client of each planted mistake.

use crate::args::{LayersArgs, RefineArgs};
use crate::left_out::LeftOut;
use crate::refine::{Held, hold};
use crate::{Verdict, remark, say};
use clap::Parser;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use litmpi_spec::table::misfit;
use serde::Deserialize;
use std::fmt::Write;

const SHIPPED: &str = include_str!("../layers.toml");

const ABOUT: &str = "\
# Layers: what was held against what

Made by `litmpi layers > docs/layers.md` from the list `cli/layers.toml`; a line of the list is what stands behind `litmpi refine`.
Clients of up to the bound are tried without exception, one of those that are the same but for names, then random ones. Clients with windows (`MPI_Win_…`) have one of all ranks around their statements. Left out are those that the specification refuses or calls erroneous: the column `refused`. Times are of one run on two cores that had other work, in seconds.
";

/// The list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    refinement: Vec<Entry>,
}

/// A refinement that is to be tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What stands behind `litmpi refine`.
    run: String,
    /// It is a planted mistake: a client is to be found.
    #[serde(default)]
    mistake: bool,
}

/// The arguments of a line.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    args: RefineArgs,
}

pub(crate) fn layers(args: &LayersArgs) -> Result<Verdict, Report> {
    let source = match &args.list {
        Some(path) => Source::read_as(path, "the list ")?,
        None => Source::new("layers.toml", SHIPPED),
    };
    let list: List = toml::from_str(&source.text).map_err(|e| {
        let help =
            "entries are [[refinement]] with run, and mistake = true for one that is planted, as in cli/layers.toml";
        Report::from(misfit(&source, e.span(), e.message(), help))
    })?;
    let wanted = |e: &&Entry| args.only.is_empty() || args.only.iter().any(|o| e.run.contains(o.as_str()));
    let (mut good, mut bad, mut clients, mut wrong) = (String::new(), String::new(), String::new(), vec![]);
    let (mut tried, mut undecided, mut left_out) = (0, 0, LeftOut::default());
    for entry in list.refinement.iter().filter(wanted) {
        let words = entry.run.split_whitespace();
        let held = Line::try_parse_from(words).map_err(|e| {
            let e = e.to_string();
            let why = e.lines().next().unwrap_or_default().trim_start_matches("error: ");
            Report::from(Diagnostic::general(format!("{}: `{}`: {why}", source.name, entry.run)))
        });
        let held = held.and_then(|line| Ok((hold(&line.args)?, line)));
        let Some((held, line)) = left_out.keep(entry.run.as_ref(), held) else { continue };
        tried += 1;
        undecided += usize::from(held.undecided() > 0);
        if held.told.is_some() != entry.mistake {
            wrong.push(entry.run.as_str());
        }
        if entry.mistake {
            let _ = writeln!(bad, "{}", mistake(&line.args, &held));
            if let Some(told) = &held.told {
                let _ = write!(
                    clients,
                    "\n### {}\n\n{}.\n\n```\n{}```\n",
                    line.args.implementation,
                    held.about(),
                    told.litmus
                );
            }
        } else {
            let _ = writeln!(good, "{}", refinement(&line.args, &held));
        }
    }
    say(&format!(
        "{ABOUT}{}\n## Refinements\n\n\
         | implementation | specification | bound | clients | random | refused | time | verdict |\n|---|---|---|---|---|---|---|---|\n{good}\n\
         ## Planted mistakes\n\n\
         | implementation | specification | bound | tried until one told | its statements | time |\n|---|---|---|---|---|---|\n{bad}\n\
         ## The smallest clients\n{clients}",
        most_memory().map_or(String::new(), |mib| format!("All of it took at most {mib} MiB of memory at a time.\n"))
    ));
    for run in &wrong {
        remark(&format!("not as the list says: litmpi refine {run}"));
    }
    Ok(left_out.end(match tried {
        0 => Verdict::Nothing,
        _ => Verdict::of(wrong.len(), undecided),
    }))
}

/// The most memory that this process had at a time, in MiB, where the system says.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.div_ceil(1024))
}

/// How far clients go, in a few words.
fn bound(args: &RefineArgs) -> String {
    let names = if args.names > 1 { format!(", {} of a kind", args.names) } else { String::new() };
    let shared = if args.shared { ", `--shared`" } else { "" };
    let of = if args.with.is_empty() { String::new() } else { format!(", of {}", args.with.join(" ")) };
    format!("{} threads, {} statements, {} each{names}{shared}{of}", args.threads, args.size, args.length)
}

fn refinement(args: &RefineArgs, held: &Held) -> String {
    let found = &held.found;
    let verdict = match &held.told {
        Some(_) => "NOT within".to_owned(),
        None if held.undecided() > 0 => format!("undecided: none found; {} not seen in full", held.undecided()),
        None => "within".to_owned(),
    };
    let all: usize = found.sizes.iter().sum();
    format!(
        "| `{}`{} | `{}` | {} | {all} | {} | {} | {:.0} | {verdict} |",
        args.implementation,
        args.below.as_ref().map_or(String::new(), |b| format!(" over `{b}`")),
        args.against,
        bound(args),
        found.random,
        found.refused,
        held.seconds.ceil(),
    )
}

fn mistake(args: &RefineArgs, held: &Held) -> String {
    let statements = held.told.as_ref().map_or("NOT FOUND".to_owned(), |t| t.statements.to_string());
    format!(
        "| `{}` | `{}` | {} | {} | {statements} | {:.0} |",
        args.implementation,
        args.against,
        bound(args),
        held.found.tried(),
        held.seconds.ceil(),
    )
}
