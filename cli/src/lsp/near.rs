//! What parts of models are parts of: the models in the folders around a file that import or include it.

use litmpi_models::Model;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::Trees;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are looked at for one that imports another.
const MOST: usize = 400;

/// A model that `.cat` files may stand behind.
const BEFORE: &str = "rdma-tso.cat";

/// What an open module says within a model that imports it, and what is wrong with it there; none, if there is no such model.
pub(super) fn importing(path: &Path, source: &Arc<Source>) -> Option<Result<Spec, Report>> {
    let models = around(path, "spec").into_iter().filter(|(_, text)| text.lines().any(|l| l.starts_with("model ")));
    for (model, _) in models {
        let Ok(trees) = Trees::with(&model, source) else { continue };
        if trees.sources.iter().any(|s| s.name == source.name) {
            return match trees.check() {
                Ok(spec) => Some(Ok(spec)),
                Err(why) => Some(of(why, source).map_or_else(|| Err(Report::default()), Err)),
            };
        }
    }
    None
}

/// What is wrong with an open `.cat` file.
pub(super) fn relations(path: &Path, source: &Arc<Source>) -> Option<Report> {
    let why = Model::written(source, path).err()?;
    if !why.0.iter().all(is_of_a_name) {
        return Some(why);
    }
    let name = path.file_name()?.to_string_lossy().into_owned();
    let includes = |(other, text): &(PathBuf, String)| other != path && text.contains(&format!("\"{name}\""));
    let is_part = Model::behind(BEFORE, source, path).is_ok() || around(path, "cat").iter().any(includes);
    (!is_part).then_some(why)
}

fn is_of_a_name(d: &Diagnostic) -> bool {
    d.message.ends_with("is not defined")
}

/// What of a report stands in a file.
fn of(why: Report, source: &Source) -> Option<Report> {
    let own = |d: &Diagnostic| d.span.as_ref().is_some_and(|s| s.source.name == source.name);
    let all: Vec<Diagnostic> = why.0.into_iter().filter(own).collect();
    (!all.is_empty()).then_some(Report(all))
}

/// The files with an ending in a file's folder, and then in the folders beside that, with their texts.
fn around(path: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let list = |folder: &Path| {
        let mut all: Vec<PathBuf> =
            std::fs::read_dir(folder).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default();
        all.sort();
        all
    };
    let Some(own) = path.parent() else { return vec![] };
    let beside = own.parent().map(list).unwrap_or_default().into_iter().filter(|f| f.is_dir() && f != own);
    let files = list(own).into_iter().chain(beside.flat_map(|folder| list(&folder)));
    let files = files.filter(|f| f.extension().is_some_and(|e| e == ending)).take(MOST);
    files.filter_map(|f| std::fs::read_to_string(&f).ok().map(|text| (f, text))).collect()
}
