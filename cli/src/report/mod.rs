//! What is told of a run: violations in full as they come, tables and totals, and forms that other tools read.

mod github;
mod junit;
mod sarif;
mod styles;
mod summary;
mod tap;
mod told;

use crate::args::{FailOn, RunArgs};
use crate::load::Loaded;
use crate::say::columns;
use crate::{say, tell, unwritten, whole};
use litmpi_litmus::ast::Test;
use litmpi_runner::{
    Comparison, Rows, RunResult, log_text, outcomes_table, rates_table, results_json, size_name, some_of, summary_table,
};
use std::path::PathBuf;
use std::str::FromStr;
pub(crate) use styles::Styles;
pub(crate) use summary::{Summary, answer, counted};
pub(crate) use told::{Teller, clauses_of};

/// A form of results that other tools read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// As Jenkins, GitLab and others read it.
    Junit,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// As code scanning reads it.
    Sarif,
    /// Workflow commands of GitHub Actions, which become annotations.
    Github,
    /// The array of `--json`.
    Json,
}

const FORMATS: [(&str, Format); 5] = [
    ("junit", Format::Junit),
    ("tap", Format::Tap),
    ("sarif", Format::Sarif),
    ("github", Format::Github),
    ("json", Format::Json),
];

/// A report that was asked for, `junit=FILE`; to standard output if no file is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    format: Format,
    file: Option<PathBuf>,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Wanted, String> {
        let (name, file) = text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
        let names: Vec<&str> = FORMATS.iter().map(|(n, _)| *n).collect();
        let known = FORMATS.iter().find(|(n, _)| *n == name).map(|(_, format)| *format);
        let format = known.ok_or_else(|| format!("found `{name}`; reports are {}", names.join(", ")))?;
        if file == Some("") {
            return Err(format!("no file is named; write `{name}=FILE`, or `{name}` for standard output"));
        }
        Ok(Wanted { format, file: file.map(PathBuf::from) })
    }
}

/// How a result counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is as it should be, or says nothing.
    Passed,
    /// The library did what the model forbids, and the run fails for it.
    Failed,
    /// The library did what the model forbids, and the run does not fail for it.
    Tolerated,
    /// It could not be run though it should have been.
    Broken,
    /// It was not run.
    Skipped,
}

impl Standing {
    pub(crate) fn of(r: &RunResult, fail_on: FailOn) -> Standing {
        let fails = match fail_on {
            FailOn::Any => true,
            FailOn::New => !r.is_known(),
            FailOn::Never => false,
        };
        match &r.verdict {
            _ if r.is_bad() && fails => Standing::Failed,
            _ if r.is_bad() => Standing::Tolerated,
            Comparison::Failed { .. } => Standing::Broken,
            Comparison::Skipped { .. } | Comparison::NotRun { .. } => Standing::Skipped,
            _ => Standing::Passed,
        }
    }
}

/// Size, style, variant and stress of a result: what tells it from others of the same test and target.
pub(crate) fn circumstances(r: &RunResult) -> String {
    let mut out = format!("{}, {}", size_name(r.size), r.style.word());
    if let Some(variant) = r.labels.get("variant").filter(|v| *v != "default") {
        out.push_str(&format!(", {variant}"));
    }
    if !r.stress.is_none() {
        out.push_str(&format!(", stress {}", r.stress));
    }
    out
}

/// What there is to say of a result that did not pass, in one line.
fn in_short(r: &RunResult) -> String {
    let word = r.verdict.word();
    match &r.verdict {
        Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } => {
            format!("{word}: {}", reason.lines().next().unwrap_or_default())
        }
        Comparison::Violation { outcomes }
        | Comparison::Unconfirmed { outcomes }
        | Comparison::Undecided { outcomes } => {
            let known: Vec<String> = r.known.iter().map(|k| format!("; known: {}; {}", k.says, k.ticket)).collect();
            let known: std::collections::BTreeSet<&str> = known.iter().map(String::as_str).collect();
            format!("{word}: {}{}", some_of(outcomes), known.into_iter().collect::<String>())
        }
        _ => word.to_owned(),
    }
}

/// Whether results are told one by one as they come: where the output is for people, and is not one table that was asked for.
pub(crate) fn is_told(args: &RunArgs) -> bool {
    let to_output = args.report.iter().any(|w| w.file.is_none());
    !(args.json || args.rates || args.outcomes || to_output)
}

/// Tells results at the end of a run, and writes the reports that were asked for.
pub(crate) fn report(args: &RunArgs, teller: &Teller<'_>, loaded: &[Loaded], results: &[RunResult], summary: &Summary) {
    for wanted in &args.report {
        let text = match wanted.format {
            Format::Junit => junit::text(results, teller, args.fail_on),
            Format::Tap => tap::text(results, args.fail_on),
            Format::Sarif => sarif::text(results, loaded, args.fail_on),
            Format::Github => github::text(results, loaded, args.fail_on),
            Format::Json => results_json(results) + "\n",
        };
        match &wanted.file {
            None => say(&text),
            Some(file) => {
                let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
                let made = folder.map_or(Ok(()), std::fs::create_dir_all);
                if let Err(e) = made.and_then(|()| whole::write(file, litmpi_spec::visible::visible(&text).as_ref())) {
                    unwritten(format!("cannot write {}: {e}", file.display()));
                }
            }
        }
    }
    if args.report.iter().any(|w| w.file.is_none()) {
        return;
    }
    if args.json {
        say(&format!("{}\n", results_json(results)));
        return;
    }
    if args.log {
        for r in results.iter().filter(|r| r.ran()) {
            if let Some(l) = loaded.iter().find(|l| l.test.name == r.test) {
                say(&log_text(&l.test, r));
            }
        }
    }
    if args.rates {
        let tests: Vec<&Test> = loaded.iter().map(|l| l.test.as_ref()).collect();
        tell(&rates_table(&tests, results));
        return;
    }
    if args.outcomes {
        tell(&outcomes_table(results));
        return;
    }
    let rows = if args.each { Rows::Each } else { Rows::Folded };
    let wrong = |r: &&RunResult| !matches!(r.verdict, Comparison::Conforms | Comparison::Erroneous);
    let shown: Vec<RunResult> = match args.failures {
        true => results.iter().filter(wrong).cloned().collect(),
        false => results.to_vec(),
    };
    if !shown.is_empty() {
        tell(&summary_table(&shown, rows, columns()));
        say("\n");
    }
    tell(&summary.text());
}
