//! `litmpi report`: what commands came to, as one HTML page that needs no other file and no network.
//!
//! ```text
//! results, checks, comparisons, campaigns, tests ─► parts, a table each ┐
//! the tests that they name, explained            ─► pages of tests      ├─► JSON ─► one file with style and script
//! clauses and functions, if asked for            ─► maps                ┘
//! ```

mod args;
mod campaign;
mod coverage;
mod data;
mod html;
mod map;
mod read;
mod runs;
mod serve;
mod tables;
mod tests;

use crate::args::ModelArgs;
use crate::{Verdict, remark, unwritten};
use args::{Explained, PageArgs};
pub(crate) use args::{ReportArgs, ServeArgs};
use data::{Page, Part, Standing};
use litmpi_spec::diag::Report;
use read::Read;
pub(crate) use serve::serve;
use std::path::{Path, PathBuf};
use tests::Tests;

pub(crate) fn page(args: &ReportArgs) -> Result<Verdict, Report> {
    let page = made(&args.from, &args.page, (args.explain, None))?;
    if page.is_empty() {
        return Ok(Verdict::Nothing);
    }
    write(&args.out, &html::text(&page));
    let worst = page.parts.iter().map(|p| p.standing).min();
    for part in &page.parts {
        remark(&format!("{}: {}", part.title, part.answer));
    }
    remark(&format!("wrote {}", args.out.display()));
    // Making the page succeeded, whatever is on it; what a run came to is that run's exit code.
    Ok(if worst == Some(Standing::Open) && page.maps.is_empty() { Verdict::Nothing } else { Verdict::Good })
}

/// The page of what is named, with what explains tests: those that are said, and that of a key.
///
/// # Errors
/// What is named cannot be read.
fn made(from: &[PathBuf], args: &PageArgs, (explain, key): (Explained, Option<&str>)) -> Result<Page, Report> {
    let read = read::all(from)?;
    let model =
        ModelArgs { tests: vec![], model: None, spec: args.spec.clone(), bounds: args.bounds.clone(), search: None };
    let (mut page, mut tests) = (Page::default(), Tests::new(&model));
    let mut results = vec![];
    for one in &read {
        let from = one.from().to_owned();
        match one {
            Read::Runs(..) | Read::Tests(_) => {}
            Read::Check(_, rows) => page.parts.push(tables::checked(&from, rows, &mut tests)),
            Read::Compare(_, rows) => page.parts.push(tables::compared(&from, rows, &mut tests)),
            Read::Coverage(_, rows) => page.maps.extend(coverage::maps(rows)),
            Read::Campaign(_, log) => page.parts.push(campaign::part(&from, log)),
        }
        if let Read::Runs(_, more) = one {
            results.extend(more.iter().cloned());
        }
    }
    if !results.is_empty() {
        page.parts.insert(0, runs::part(results, &args.known, &mut tests)?);
    }
    let folders: Vec<&Path> = read.iter().filter_map(Read::tests).collect();
    if !folders.is_empty() {
        page.parts.push(tables::modelled(&folders, &mut tests)?);
    }
    if args.map && !page.is_empty() {
        page.maps.extend(map::maps(&page.parts, &tests)?);
    }
    tests.explain(explain, key, &page.parts);
    (page.tests, page.notes) = tests.into_pages();
    page.title = args.title.clone().unwrap_or_else(|| title(&page));
    Ok(page)
}

/// What the page is of.
fn title(page: &Page) -> String {
    let parts: Vec<&str> = page.parts.iter().map(|p: &Part| p.title.as_str()).collect();
    if parts.is_empty() { "litmpi: coverage".to_owned() } else { format!("litmpi: {}", parts.join("; ")) }
}

fn write(out: &Path, text: &str) {
    let folder = out.parent().filter(|f| !f.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), std::fs::create_dir_all);
    if let Err(e) = made.and_then(|()| crate::whole::write(out, text)) {
        unwritten(format!("cannot write {}: {e}", out.display()));
    }
}
