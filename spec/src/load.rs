//! Files and their imports to a checked specification.
//!
//! An import is a path relative to the importing file, or the name of a shipped file (`mpi/mpi.spec`): the rules
//! that come with litmpi are part of the program, so that a user's own file can build on them from anywhere.

use crate::check::check;
use crate::compiled;
use crate::diag::{Diagnostic, Report};
use crate::model::Spec;
use crate::overlay::Overlay;
use crate::parse::parse;
use crate::shipped;
use crate::source::{Source, unreadable};
use crate::suggest::suggest;
use crate::syntax::File;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Loads a model from a file.
///
/// # Errors
/// A file that cannot be read, syntax errors, errors of names and types, an instruction that nothing runs.
pub fn load(path: &Path) -> Result<Spec, Report> {
    load_source(&source_of(path)?, path)
}

/// The same of a text that is to stand in that file.
///
/// # Errors
/// See [`load`].
pub fn load_source(source: &Arc<Source>, path: &Path) -> Result<Spec, Report> {
    let trees = Trees::of(Arc::clone(source), path)?;
    let spec = trees.check()?;
    crate::unrun::check(&trees, &spec)?;
    Ok(spec)
}

fn source_of(path: &Path) -> Result<Arc<Source>, Report> {
    Source::read(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Report::from(
            Diagnostic::general(format!("cannot read the specification {}: {e}", path.display()))
                .help(format!("give a .spec file, or a shipped model: {}", shipped::names().join(", "))),
        ),
        _ => unreadable(path, "the specification ", &e).into(),
    })
}

/// Loads a model that ships with litmpi, by the model's name.
///
/// # Errors
/// An unknown name.
pub fn load_shipped(model: &str) -> Result<Spec, Report> {
    match compiled::carried(model) {
        Some(spec) => Ok(spec),
        None => Trees::shipped(model)?.check(),
    }
}

/// The syntax trees of a model and of everything that it imports, the model's own last.
#[derive(Debug, Clone)]
pub struct Trees {
    /// The files.
    pub files: Vec<File>,
    /// Their texts.
    pub sources: Vec<Arc<Source>>,
}

impl Trees {
    /// Those of a model that ships with litmpi.
    ///
    /// # Errors
    /// An unknown name.
    pub fn shipped(model: &str) -> Result<Trees, Report> {
        shipped_trees(model)
    }

    /// Those of a model in a file.
    ///
    /// # Errors
    /// A file that cannot be read, syntax errors.
    pub fn load(path: &Path) -> Result<Trees, Report> {
        trees(source_of(path)?, Some(path))
    }

    /// Those of a model whose text is to stand in a file.
    ///
    /// # Errors
    /// An imported file that cannot be read, syntax errors.
    pub fn of(source: Arc<Source>, path: &Path) -> Result<Trees, Report> {
        trees(source, Some(path))
    }

    /// Those of a model in a file, with a text in the place of one of the files that it imports, which has the text's name.
    ///
    /// # Errors
    /// A file that cannot be read, syntax errors.
    pub fn with(path: &Path, instead: &Arc<Source>) -> Result<Trees, Report> {
        let mut loader = Loader { instead: Some(Arc::clone(instead)), ..Loader::default() };
        loader.file(source_of(path)?, Some(path))?;
        loader.trees()
    }

    /// Whether the last file is a module, which is there to be imported.
    pub fn is_module(&self) -> bool {
        self.files.last().is_some_and(|f| !f.is_model && f.over.is_none())
    }

    /// The specification that they make.
    ///
    /// # Errors
    /// Errors of names and types.
    pub fn check(&self) -> Result<Spec, Report> {
        check(&self.files, self.sources.clone())
    }
}

fn shipped_trees(model: &str) -> Result<Trees, Report> {
    if let Some((_, file)) = shipped::MODELS.iter().find(|(name, _)| *name == model) {
        let text = shipped::FILES.iter().find(|(name, _)| name == file).map_or("", |(_, text)| text);
        return trees(Source::new(format!("spec/{file}"), text), None);
    }
    let known = shipped::names();
    Err(Diagnostic::general(format!("no model is called `{model}`"))
        .help(crate::suggest::suggest(model, &known, &format!("models: {}", known.join(", "))))
        .into())
}

/// Loads a model from text; what it imports is among the shipped files.
///
/// # Errors
/// Syntax errors, errors of names and types.
pub fn load_text(source: &Arc<Source>) -> Result<Spec, Report> {
    trees(Arc::clone(source), None)?.check()
}

fn trees(source: Arc<Source>, path: Option<&Path>) -> Result<Trees, Report> {
    let mut loader = Loader::default();
    loader.file(source, path)?;
    loader.trees()
}

#[derive(Default)]
struct Loader {
    files: Vec<File>,
    sources: Vec<Arc<Source>>,
    names: Vec<String>,
    /// By file, the numbers of all files that it imports, and of those that these import.
    below: Vec<BTreeSet<usize>>,
    overlay: Overlay,
    /// What is read where a file of its name is imported.
    instead: Option<Arc<Source>>,
}

impl Loader {
    fn trees(self) -> Result<Trees, Report> {
        self.overlay.into_result(&self.files)?;
        Ok(Trees { files: self.files, sources: self.sources })
    }

    /// Adds a file behind everything that it imports.
    fn file(&mut self, source: Arc<Source>, path: Option<&Path>) -> Result<(), Report> {
        self.names.push(source.name.clone());
        let file = parse(&source)?;
        let mut below = BTreeSet::new();
        for import in &file.imports {
            let (next, next_path) = find(&source, path, &import.node).ok_or_else(|| {
                Report::from(
                    Diagnostic::at(&import.span, format!("cannot find `{}`", import.node))
                        .found("neither a file beside this one nor a shipped one")
                        .help(suggest(
                            &import.node,
                            &shipped::FILES.map(|(n, _)| n),
                            &format!("shipped files: {}", shipped::FILES.map(|(n, _)| n).join(", ")),
                        )),
                )
            })?;
            let next = self.instead.iter().find(|open| open.name == next.name).map_or(next, Arc::clone);
            let name = next.name.clone();
            if !self.names.contains(&name) {
                self.file(next, next_path.as_deref())?;
            }
            if let Some(i) = self.sources.iter().position(|s| s.name == name) {
                below.insert(i);
                below.extend(&self.below[i]);
            }
        }
        self.files.push(file);
        self.overlay.lay(&below, &mut self.files);
        self.sources.push(source);
        self.below.push(below);
        Ok(())
    }
}

fn find(from: &Source, path: Option<&Path>, import: &str) -> Option<(Arc<Source>, Option<PathBuf>)> {
    if let Some(path) = path {
        let beside = plain(&path.parent().unwrap_or(Path::new("")).join(import));
        if let Ok(source) = Source::read(&beside) {
            return Some((source, Some(beside)));
        }
    }
    let relative = from.name.strip_prefix("spec/").and_then(|n| {
        let folder = Path::new(n).parent().unwrap_or(Path::new(""));
        Some(plain(&folder.join(import)).to_str()?.to_owned())
    });
    let named = plain(Path::new(import));
    let (name, text) = shipped::FILES
        .iter()
        .find(|(n, _)| relative.as_deref() == Some(n) && path.is_none() || named == Path::new(n))?;
    Some((Source::carried(format!("spec/{name}"), text), None))
}

/// The path without `x/..`, so that a file has one name by whatever way it is imported.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => _ = out.pop(),
            part => out.push(part),
        }
    }
    out
}
