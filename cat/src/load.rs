//! Files and what they include to a checked model. An included file stands beside the including one, or is shipped.

use super::check::check;
use super::model::{CatModel, Given};
use super::parse::parse;
use super::syntax::Item;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::shipped::{CAT_FILES, CAT_MODELS};
use litmpi_spec::source::{Source, unreadable};
use litmpi_spec::suggest::{slip, suggest};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Included before every model.
const STDLIB: &str = "stdlib.cat";

/// The models of herd's library that have a shipped one for the same machine, which stands in where no such file is.
const OF_HERD: [(&str, &str); 1] = [("x86tso.cat", "tso.cat")];

/// The shipped models; what they include is not among them.
fn shipped_names() -> Vec<&'static str> {
    CAT_MODELS.iter().map(|(name, ..)| *name).collect()
}

/// Loads a model from a file.
///
/// # Errors
/// A file that cannot be read, syntax errors, errors of names and kinds.
pub fn load(path: &Path, given: &[Given]) -> Result<CatModel, Report> {
    load_source(&read(path)?, Some(path), given)
}

/// Loads a model of a text that is to stand in a file.
///
/// # Errors
/// As of [`load`].
pub fn load_written(source: &Arc<Source>, path: &Path, given: &[Given]) -> Result<CatModel, Report> {
    load_source(source, Some(path), given)
}

/// Loads a text that is to stand in a file behind a shipped model, which names the two: it may name what the model defines.
///
/// # Errors
/// As of [`load`].
pub fn load_behind(model: &str, source: &Arc<Source>, path: &Path, given: &[Given]) -> Result<CatModel, Report> {
    let mut loader = Loader::new()?;
    let title = loader.file(&shipped(model)?, None)?;
    loader.file(source, Some(path))?;
    loader.end(title.unwrap_or_default()).check(given)
}

fn read(path: &Path) -> Result<Arc<Source>, Report> {
    Source::read(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => Report::from(
            Diagnostic::general(format!("cannot read the model {}: {e}", path.display()))
                .help(format!("give a .cat file, or a shipped one: {}", shipped_names().join(", "))),
        ),
        _ => unreadable(path, "the model ", &e).into(),
    })
}

/// Loads a model that ships with litmpi, by the name of its file (`rdma-tso.cat`).
///
/// # Errors
/// An unknown name.
pub fn load_shipped(file: &str, given: &[Given]) -> Result<CatModel, Report> {
    load_source(&shipped(file)?, None, given)
}

fn shipped(file: &str) -> Result<Arc<Source>, Report> {
    let own = OF_HERD.iter().find(|(herds, _)| *herds == file).map_or(file, |(_, own)| own);
    if let Some((name, text)) = CAT_FILES.iter().find(|(name, _)| name.rsplit('/').next() == Some(own)) {
        return Ok(Source::new(format!("spec/{name}"), *text));
    }
    Err(Diagnostic::general(format!("no model is called `{file}`"))
        .help(suggest(file, &shipped_names(), &format!("shipped models: {}", shipped_names().join(", "))))
        .into())
}

/// Loads a model from text; what it includes is among the shipped files.
///
/// # Errors
/// Syntax errors, errors of names and kinds.
pub fn load_text(source: &Arc<Source>, given: &[Given]) -> Result<CatModel, Report> {
    load_source(source, None, given)
}

fn load_source(source: &Arc<Source>, path: Option<&Path>, given: &[Given]) -> Result<CatModel, Report> {
    trees(source, path)?.check(given)
}

/// Loads several files as one model, each a file or the name of a shipped one; the first one names it. What several of them
/// include counts once.
///
/// # Errors
/// As of [`load`].
pub fn load_together(names: &[&str], given: &[Given]) -> Result<CatModel, Report> {
    let mut loader = Loader::new()?;
    let mut title = None;
    for name in names {
        let path = Path::new(name);
        let (source, path) = if path.exists() { (read(path)?, Some(path)) } else { (shipped(name)?, None) };
        let own = loader.file(&source, path)?;
        title = title.or_else(|| Some(own.unwrap_or_else(|| stem(&source))));
    }
    loader.end(title.unwrap_or_default()).check(given)
}

/// The statements of a model and of everything that it includes.
#[derive(Debug, Clone)]
pub struct Trees {
    title: String,
    pub(super) items: Vec<Item>,
    files: Vec<Arc<Source>>,
}

impl Trees {
    /// Those of a model that ships with litmpi, by the name of its file.
    ///
    /// # Errors
    /// An unknown name.
    pub fn shipped(file: &str) -> Result<Trees, Report> {
        trees(&shipped(file)?, None)
    }

    /// The model that they make.
    ///
    /// # Errors
    /// Errors of names and kinds.
    pub fn check(&self, given: &[Given]) -> Result<CatModel, Report> {
        let mut model = check(self.title.clone(), self.items.clone(), given)?;
        model.files.clone_from(&self.files);
        Ok(model)
    }
}

/// The names of the files that a model is made of, itself and what it includes, without their folders.
///
/// # Errors
/// A file that cannot be read, syntax errors.
pub fn made_of(path: &Path) -> Result<Vec<String>, Report> {
    made_of_written(&read(path)?, path)
}

/// The same of a text that is to stand in a file.
///
/// # Errors
/// As of [`made_of`].
pub fn made_of_written(source: &Arc<Source>, path: &Path) -> Result<Vec<String>, Report> {
    let name = |f: &Arc<Source>| f.name.rsplit('/').next().unwrap_or_default().to_owned();
    Ok(trees(source, Some(path))?.files.iter().map(name).collect())
}

/// The file that ships with litmpi, one for models of one's own to include, that defines a name.
pub(super) fn defines(name: &str) -> Option<&'static str> {
    let (file, _) = CAT_FILES.iter().filter(|(file, _)| file.starts_with("cat/")).find(|(_, text)| {
        let after = |line: &'static str| line.strip_prefix("let ").or_else(|| line.strip_prefix("with "));
        let is = |rest: &str| rest.strip_prefix(name).is_some_and(|end| end.starts_with([' ', '(']));
        text.lines().filter_map(after).any(is)
    })?;
    file.rsplit('/').next()
}

fn trees(source: &Arc<Source>, path: Option<&Path>) -> Result<Trees, Report> {
    let mut loader = Loader::new()?;
    loader.files.push(Arc::clone(source));
    let file = parse(source)?;
    if let Some((machine, span)) = &file.machine {
        let d =
            Diagnostic::at(span, format!("models for `{machine}` are not read")).found("herd's name of this machine");
        let help = "models for X86, X86_64 and no machine are; herd refuses, too, to run one for another machine than its test's";
        return Err(d.help(help).into());
    }
    let title = file.title;
    loader.statements(file.items, path)?;
    slips(&loader)?;
    Ok(loader.end(title.unwrap_or_else(|| stem(source))))
}

/// Refuses a definition that nobody uses and that is called nearly as something that it is made of: `let ippoo = ippo | …` was to change
/// `ippo`, and changes nothing.
fn slips(loader: &Loader) -> Result<(), Report> {
    let is_word = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    let words = |text: &str| text.split(|c: char| !is_word(c)).map(str::to_owned).collect::<Vec<_>>();
    let all: Vec<String> = loader.files.iter().flat_map(|f| words(&f.text)).collect();
    let mut errors = Report::default();
    for item in &loader.items {
        let Item::Let(_, bindings, _) = item else { continue };
        for b in bindings.iter().filter(|b| b.params.is_none() && b.name.node.chars().count() > 2) {
            let name = &b.name.node;
            if all.iter().filter(|w| *w == name).count() != 1 {
                continue;
            }
            let of = words(b.body.span.text());
            if let Some(near) = slip(name, of.iter().map(String::as_str)) {
                let d = Diagnostic::at(&b.name.span, format!("`{name}` is defined, and nothing uses it"));
                errors.0.push(d.found("here").help(format!("did you mean `{near}`?")));
            }
        }
    }
    errors.into_result()
}

/// What a model is called whose file gives no name.
fn stem(source: &Source) -> String {
    Path::new(&source.name).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}

struct Loader {
    /// A file that is included twice counts once, so that a circle of files ends.
    files: Vec<Arc<Source>>,
    items: Vec<Item>,
}

impl Loader {
    /// With the definitions that come first, whatever the files are.
    fn new() -> Result<Loader, Report> {
        let mut loader = Loader { files: Vec::new(), items: Vec::new() };
        let library = find(None, STDLIB).expect("it is shipped").0;
        loader.file(&library, None)?;
        Ok(loader)
    }

    fn end(self, title: String) -> Trees {
        Trees { title, items: self.items, files: self.files }
    }

    fn file(&mut self, source: &Arc<Source>, path: Option<&Path>) -> Result<Option<String>, Report> {
        self.files.push(Arc::clone(source));
        let file = parse(source)?;
        self.statements(file.items, path)?;
        Ok(file.title)
    }

    /// Takes up statements, and what they include; of those that are for a variant, what is for none.
    fn statements(&mut self, items: Vec<Item>, path: Option<&Path>) -> Result<(), Report> {
        for item in items {
            let name = match &item {
                Item::Include(name) => name,
                Item::Either(variants, then, els) => {
                    let chosen = if variants.hold(&[]) { then } else { els };
                    self.statements(chosen.clone(), path)?;
                    continue;
                }
                _ => {
                    self.items.push(item);
                    continue;
                }
            };
            let (next, at) = find(path, &name.node).ok_or_else(|| {
                Report::from(
                    Diagnostic::at(&name.span, format!("cannot find `{}`", name.node))
                        .found("neither a file beside this one nor a shipped one")
                        .help(format!("shipped files: {}", CAT_FILES.map(|(name, _)| name).join(", "))),
                )
            })?;
            if !self.files.iter().any(|f| f.name == next.name) {
                self.file(&next, at.as_deref())?;
            }
        }
        Ok(())
    }
}

fn find(path: Option<&Path>, include: &str) -> Option<(Arc<Source>, Option<PathBuf>)> {
    if let Some(beside) = path.map(|p| p.parent().unwrap_or(Path::new("")).join(include))
        && let Ok(source) = Source::read(&beside)
    {
        return Some((source, Some(beside)));
    }
    let (name, text) =
        CAT_FILES.iter().find(|(name, _)| *name == include || name.rsplit('/').next() == Some(include))?;
    Some((Source::new(format!("spec/{name}"), *text), None))
}
