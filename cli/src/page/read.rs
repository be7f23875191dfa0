//! What a report is made from: which command wrote a file is told from what stands in it.

use crate::campaign::{CampaignLog, campaign_log};
use crate::kept::{Kept, latest};
use litmpi_runner::RunResult;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What one argument names, and where it stands.
pub(super) enum Read {
    Runs(String, Vec<RunResult>),
    Check(String, Vec<Value>),
    Compare(String, Vec<Value>),
    Coverage(String, Vec<Value>),
    Campaign(String, Box<CampaignLog>),
    /// A litmus file, or a folder of them.
    Tests(PathBuf),
}

impl Read {
    /// Where it stands, in words.
    pub(super) fn from(&self) -> &str {
        match self {
            Read::Runs(from, _)
            | Read::Check(from, _)
            | Read::Compare(from, _)
            | Read::Coverage(from, _)
            | Read::Campaign(from, _) => from,
            Read::Tests(path) => path.to_str().unwrap_or_default(),
        }
    }

    /// The path of tests.
    pub(super) fn tests(&self) -> Option<&Path> {
        match self {
            Read::Tests(path) => Some(path),
            _ => None,
        }
    }
}

/// Reads everything that is named; all that is wrong is told at once.
///
/// # Errors
/// A file that cannot be read or that no command writes.
pub(super) fn all(from: &[PathBuf]) -> Result<Vec<Read>, Report> {
    let (mut out, mut errors) = (vec![], vec![]);
    for path in from {
        match one(path) {
            Ok(read) => out.push(read),
            Err(why) => errors.extend(why.0),
        }
    }
    Report(errors).into_result()?;
    Ok(out)
}

fn one(path: &Path) -> Result<Read, Report> {
    if path.is_dir() {
        let campaign = path.join("campaign.jsonl");
        if campaign.is_file() {
            return Ok(Read::Campaign(path.display().to_string(), Box::new(campaign_log(&campaign)?)));
        }
        let results = path.join("results.jsonl");
        if results.is_file() {
            return Ok(Read::Runs(path.display().to_string(), Kept::load(&[results])?.into_results()));
        }
        return Ok(Read::Tests(path.to_owned()));
    }
    if path.extension().is_some_and(|e| e == "litmus") {
        return Ok(Read::Tests(path.to_owned()));
    }
    let source = if path == Path::new("-") { input()? } else { Source::read_as(path, "what a report is made from, ")? };
    let first = source.text.trim_start();
    if first.starts_with("{\"campaign\"") {
        return Ok(Read::Campaign(source.name.clone(), Box::new(campaign_log(path)?)));
    }
    if first.starts_with('{') {
        return Ok(Read::Runs(source.name.clone(), Kept::load(&[path.to_owned()])?.into_results()));
    }
    if first.is_empty() {
        return Err(strange(&source, 0, source.text.len(), "an empty file"));
    }
    written(&source)
}

fn input() -> Result<Arc<Source>, Report> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|e| Report::from(Diagnostic::general(format!("cannot read standard input: {e}"))))?;
    Ok(Source::new("standard input", text))
}

/// What a command has printed with `--json`: a list, whose elements have fields that no other command's have.
fn written(source: &Arc<Source>) -> Result<Read, Report> {
    let read: Value = serde_json::from_str(&source.text).map_err(|e| {
        let at = offset(&source.text, e.line(), e.column());
        strange(source, at, at, &format!("no JSON: {e}"))
    })?;
    let Value::Array(rows) = read else { return Err(strange(source, 0, 0, "JSON that is no list")) };
    let name = source.name.clone();
    let told: Vec<Value> = rows.into_iter().filter(|r| r.get("left_out").is_none()).collect();
    let has = |fields: &[&str]| !told.is_empty() && told.iter().all(|r| fields.iter().all(|f| r.get(*f).is_some()));
    match () {
        () if has(&["test", "target", "verdict", "observed"]) => {
            let mut results: Vec<RunResult> = vec![];
            for (n, row) in told.into_iter().enumerate() {
                let read = serde_json::from_value(row);
                results.push(read.map_err(|e| strange(source, 0, 0, &format!("element {n} that is no result: {e}")))?);
            }
            Ok(Read::Runs(name, latest(results)))
        }
        () if has(&["file", "agreed", "failures"]) => Ok(Read::Check(name, told)),
        () if has(&["test", "differs", "models", "logs"]) => Ok(Read::Compare(name, told)),
        () if has(&["model", "counts", "complete"]) => Ok(Read::Coverage(name, told)),
        () => Err(strange(source, 0, 0, "a list that none of these commands writes")),
    }
}

/// Where a line and a column, both from 1, are in a text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (before + column.saturating_sub(1)).min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn strange(source: &Arc<Source>, from: usize, to: usize, found: &str) -> Report {
    let message = format!("a report cannot be made from {}", source.name);
    let help = "give a folder or results.jsonl of `litmpi run`, a campaign's folder, what `run`, `check`, `compare` or `coverage` print \
                with --json, or litmus files";
    Diagnostic::at(&Span::new(source, from, to), message).found(format!("this is {found}")).help(help).into()
}
