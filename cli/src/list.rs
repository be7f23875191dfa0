//! `litmpi list`: the tests under some folders, or those that a filter takes.

use crate::args::ListArgs;
use crate::filter::{Filter, Subject};
use crate::known::Known;
use crate::load::{Loaded, tests};
use crate::{Verdict, say};
use litmpi_spec::diag::Report;
use serde_json::json;

/// What filters of tests that were not run may ask, unless a target is known.
pub(crate) const ASKED: [&str; 5] = ["test", "file", "family", "call", "known"];

pub(crate) fn list(args: &ListArgs) -> Result<Verdict, Report> {
    let filter = Filter::read(&args.filter, &ASKED)?;
    let known = Known::load(&args.known)?;
    let (loaded, left_out) = tests(&args.model)?;
    let takes = |l: &&Loaded| filter.takes(&Subject { known: known.has(&l.test.name, None), ..Subject::of_test(l) });
    let taken: Vec<&Loaded> = loaded.iter().filter(takes).collect();
    if args.json {
        let mut rows: Vec<_> = taken.iter().map(|l| row(l, &known)).collect();
        rows.extend(left_out.rows());
        say(&format!("{:#}\n", json!(rows)));
    } else {
        for l in &taken {
            say(&format!("{}\t{}\t{}\n", l.test.name, l.path.display(), l.test.title));
        }
    }
    Ok(left_out.end(if taken.is_empty() { Verdict::Nothing } else { Verdict::Good }))
}

fn row(l: &Loaded, known: &Known) -> serde_json::Value {
    let t = &l.test;
    json!({
        "test": t.name, "title": t.title, "family": t.family, "file": l.path.display().to_string(), "nodes": t.nodes.len(),
        "known": known.of_test(&t.name),
    })
}
