//! `litmpi robust`: whether programs have weak behaviours, and which conditions for having none they fulfil.
//!
//! A program is robust under a model if every execution that the model allows is sequentially consistent
//! (rdma-robustness Defs. 5 and 11). That is decided by searching for one that is not. The conditions of the paper, which
//! are enough for robustness and are told without a search, are `.cat` files.

mod args;
mod show;

use crate::explain::Files;
use crate::left_out::LeftOut;
use crate::load::{Loaded, Refusal, files, load_asked};
use crate::{Verdict, parallel, remark, say, stream};
pub(crate) use args::{RobustArgs, SubjectArgs};
use litmpi_litmus::{Asked, parse};
use litmpi_models::{Limits, Robust, Robustness, Search};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use serde_json::json;
pub(crate) use show::{name, reason};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A test, and what is known of it.
struct Row {
    path: PathBuf,
    name: String,
    /// Why the model says nothing of the test, or what it says.
    found: Result<(Loaded, Robust), Report>,
}

pub(crate) fn robust(args: &RobustArgs) -> Result<Verdict, Report> {
    let robustness = Robustness::new(&args.subject.model, &args.conditions)?;
    robustness.model().knows_variant(&args.subject.variant)?;
    let limits = args.bounds.limits(Search::Auto);
    let mut left_out = LeftOut::default();
    let tests = files(&args.subject.tests, &mut left_out);
    let mut pictures = Files::new(&args.pictures, tests.len())?;
    let work = |path: &PathBuf| judge(path, args, &robustness, limits);
    let found = parallel::map(&tests, args.bounds.jobs, "judging", work);
    let rows: Vec<Row> = left_out.keep_all(&tests, found);
    if rows.is_empty() && !args.json {
        left_out.into_result()?;
        return Ok(Verdict::Nothing);
    }
    let model = show::name(&robustness, &args.subject.variant);
    let shown = |row: &Row| args.show || tests.len() == 1 && row.found.is_ok();
    let mut graphs = vec![];
    for row in &rows {
        graphs.push(show::graph(row, &model, &mut pictures)?);
    }
    if args.json {
        let told =
            rows.iter().zip(&graphs).map(|(r, g)| show::as_json(r, &robustness, &args.subject.variant, g.as_deref()));
        // A row for each test, whatever is wrong with it.
        let told: Vec<_> = told.chain(left_out.rows().map(show::left_out)).collect();
        say(&format!("{:#}\n", json!(told)));
    } else {
        if rows.len() > 1 || rows[0].found.is_err() {
            say(&show::as_table(&rows, &robustness, &model));
        }
        for (row, graph) in rows.iter().zip(&graphs).filter(|(row, _)| shown(row)) {
            say(&show::as_text(row, &robustness, &model, graph.as_deref()));
        }
    }
    for path in &pictures.written {
        remark(&format!("wrote {}", path.display()));
    }
    let count =
        |what: Option<bool>| rows.iter().filter(|r| r.found.as_ref().is_ok_and(|(_, f)| f.robust == what)).count();
    if rows.iter().all(|r| r.found.is_err()) {
        return Ok(left_out.end(Verdict::Nothing));
    }
    Ok(left_out.end(Verdict::of(count(Some(false)), count(None))))
}

/// The test with a claim, if that is all that it lacks: nothing is asked about outcomes here.
fn claimed(source: Arc<Source>, robustness: &Robustness) -> Arc<Source> {
    let reads = |source: &Arc<Source>| parse(source, robustness.model().instructions()).is_ok();
    if reads(&source) {
        return source;
    }
    let with = Source::new(source.name.clone(), format!("{}\nexists true\n", source.text));
    if reads(&with) { with } else { source }
}

/// What is known of the test in a file.
///
/// # Errors
/// The file cannot be read, or is no test of programs that the model is for.
fn judge(path: &Path, args: &RobustArgs, robustness: &Robustness, limits: Limits) -> Result<Row, Report> {
    let source = claimed(stream::read(path, "")?, robustness);
    let row = |name: String, found| Row { path: path.to_owned(), name, found };
    let loaded = match load_asked(path, &source, robustness.model(), limits, Asked::Executions) {
        Ok(loaded) => loaded,
        // It can be read; that the model says nothing of it is no mistake of whoever wrote it.
        Err(Refusal::Unrun(test, why)) => return Ok(row(test, Err(why))),
        Err(other) => return Err(other.into_report()),
    };
    let name = loaded.test.name.clone();
    if let Err(why) = robustness.speaks_of(&loaded.test, &args.subject.variant, limits) {
        return Ok(row(name, Err(why)));
    }
    let found = robustness.judge(&loaded.test, &args.subject.variant, limits)?;
    Ok(row(name, Ok((loaded, found))))
}
