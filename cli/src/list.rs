//! `litmpi list`: the tests under some folders, or those that a filter takes; the models there; why files cannot be read.

use crate::args::ListArgs;
use crate::filter::{Filter, Subject};
use crate::known::Known;
use crate::left_out::LeftOut;
use crate::load::{Loaded, readable, tests_under_any_model};
use crate::{Verdict, remark, say};
use litmpi_litmus::library;
use litmpi_models::Model;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::Trees;
use litmpi_spec::source::Source;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What filters of tests that were not run may ask, unless a target is known.
pub(crate) const ASKED: [&str; 5] = ["test", "file", "family", "call", "known"];

pub(crate) fn list(args: &ListArgs) -> Result<Verdict, Report> {
    if args.models {
        return models(args);
    }
    if args.refused {
        let (loaded, left_out) = readable(&args.model)?;
        return Ok(refused(args, loaded.len(), &left_out));
    }
    let filter = Filter::read(&args.filter, &ASKED)?;
    let known = Known::load(&args.known)?;
    let (loaded, left_out) = tests_under_any_model(&args.model)?;
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

/// Why files cannot be read, by reason.
fn refused(args: &ListArgs, read: usize, left_out: &LeftOut) -> Verdict {
    let (refused, out) = (left_out.refused(), left_out.len());
    if args.json {
        let mut rows = refused.rows();
        rows.push(json!({ "read": read, "left_out": out }));
        say(&format!("{:#}\n", json!(rows)));
    } else {
        say(&refused.table());
        say(&format!("{read} of {} files are read\n", read + out));
    }
    match (read, out) {
        (0, 0) => Verdict::Nothing,
        (_, 0) => Verdict::Good,
        _ => Verdict::Mend,
    }
}

/// What a file is called that is no model by itself, but there to be included or imported.
const PART: &str = "part of models";

/// A model that others stand behind.
const BEFORE: &str = "rdma-tso.cat";

/// The models in folders: what loads, and what does not.
fn models(args: &ListArgs) -> Result<Verdict, Report> {
    let (mut left_out, mut rows) = (LeftOut::default(), vec![]);
    let (mut unread, mut included) = (vec![], BTreeSet::new());
    for file in files(&args.model.tests, &mut left_out) {
        if is_module(&file) {
            rows.push((file, PART, String::new()));
            continue;
        }
        match Model::load(&file) {
            Ok(model) => {
                included.extend(model.files().iter().filter_map(|f| f.path().canonicalize().ok()));
                let (kind, name) =
                    if model.orders_writes() { ("model", model.name().to_owned()) } else { (PART, String::new()) };
                rows.push((file, kind, name));
            }
            Err(why) => unread.push((file, why)),
        }
    }
    // What names something that only the model gives which includes it, or stands before it, is no less right.
    for (file, why) in unread {
        if file.canonicalize().is_ok_and(|path| included.contains(&path)) || stands_behind(&file, &why) {
            rows.push((file, PART, String::new()));
        } else {
            left_out.add(&file, why);
        }
    }
    rows.sort();
    let read = rows.len();
    if args.refused {
        return Ok(refused(args, read, &left_out));
    }
    if args.json {
        let row = |(file, kind, name): &(PathBuf, &str, String)| json!({ "file": file.display().to_string(), "kind": kind, "model": name });
        let all: Vec<_> = rows.iter().map(row).chain(left_out.rows()).collect();
        say(&format!("{:#}\n", json!(all)));
    } else {
        for (file, kind, name) in &rows {
            say(&format!("{}\t{kind}\t{name}\n", file.display()));
        }
        for (file, why) in left_out.short() {
            say(&format!("{}\tnot read\t{why}\n", file.display()));
        }
    }
    // Of one file, or in JSON's rows, the whole is told; of a folder, the first message of each stands in its row.
    if left_out.len() > 1 && !args.json {
        remark(&format!(
            "{} of {} not read; `litmpi list --models FILE` has the whole of one",
            left_out.len(),
            read + left_out.len()
        ));
        return Ok(Verdict::Mend);
    }
    Ok(left_out.end(if rows.is_empty() { Verdict::Nothing } else { Verdict::Good }))
}

/// Whether a file is right behind a model, as what looks for some executions of the model is.
fn stands_behind(file: &Path, why: &Report) -> bool {
    why.0.iter().all(|d| d.message.ends_with("is not defined"))
        && Source::read(file).is_ok_and(|source| Model::behind(BEFORE, &source, file).is_ok())
}

/// The files of models under these paths.
fn files(paths: &[PathBuf], left_out: &mut LeftOut) -> Vec<PathBuf> {
    let mut out = vec![];
    for path in paths {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let found = library::below(path, &["cat", "spec"]);
        if found.files.is_empty() && found.missing.is_empty() {
            let d = Diagnostic::general(format!("folder `{}` holds no models", path.display()));
            left_out.add(path, d.help("models are files whose names end in `.cat` or `.spec`").into());
        }
        out.extend(found.files);
        found.missing.into_iter().for_each(|(path, why)| left_out.add(&path, why.into()));
    }
    out
}

/// Whether a file is right as far as it can be told alone, and there to be imported: what it uses may be another file's.
fn is_module(file: &Path) -> bool {
    let is_spec = file.extension().is_some_and(|e| e == "spec");
    is_spec && Trees::load(file).is_ok_and(|t| t.is_module())
}
