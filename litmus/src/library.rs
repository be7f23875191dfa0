//! Finds test files.

use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files among `paths` as given, those that lists (`@all`) name, and all `*.litmus` files below the folders among them, sorted by path within
/// each folder; a file that is reached twice is given once. Links to folders inside a folder are not followed.
///
/// # Errors
/// A path that does not exist or cannot be read, and a folder without tests.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Report> {
    let Found { files, missing } = find_each(paths);
    Report(missing.into_iter().map(|(_, why)| why).collect()).into_result()?;
    Ok(files)
}

/// What was found under some paths.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// Paths under which none can be had, each with the reason.
    pub missing: Vec<(PathBuf, Diagnostic)>,
}

/// The same as [`find`], where a path that does not exist or cannot be read does not keep the others from being found.
pub fn find_each(paths: &[PathBuf]) -> Found {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let before = (found.len(), errors.len());
            folder(path, &["litmus"], &mut found, &mut errors);
            if (found.len(), errors.len()) == before {
                let d = Diagnostic::general(format!("folder `{}` holds no tests", path.display()));
                errors.push((path.clone(), d.help("tests are files whose names end in `.litmus`")));
            }
        } else if is_list(path) && path.is_file() {
            listed(path, &mut vec![], &mut found, &mut errors);
        } else if path.exists() {
            found.push(path.clone());
        } else {
            errors.push((path.clone(), missing(path)));
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|p| seen.insert(p.clone()));
    Found { files: found, missing: errors }
}

/// All files below a folder whose names have one of these endings, in order; links to folders are not followed.
pub fn below(path: &Path, endings: &[&str]) -> Found {
    let mut out = Found::default();
    folder(path, endings, &mut out.files, &mut out.missing);
    out
}

/// Whether a path is herd's form of a list of tests: its name begins with `@`.
fn is_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'))
}

/// The tests of a list: a path a line, from the list's own folder on, or a further list. Lines that are empty or begin with `#` are none.
fn listed(path: &Path, within: &mut Vec<PathBuf>, found: &mut Vec<PathBuf>, errors: &mut Vec<(PathBuf, Diagnostic)>) {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) => {
            let d = Diagnostic::general(format!("cannot read the list `{}`: {e}", path.display()));
            errors.push((path.to_owned(), d.help("it has the name of a test in each line")));
            return;
        }
    };
    within.push(path.to_owned());
    let folder = path.parent().unwrap_or(Path::new(""));
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let next = folder.join(line);
        if is_list(&next) && next.is_file() {
            // A list that names itself, or one that it stands in, has nothing more to give.
            if !within.contains(&next) {
                listed(&next, within, found, errors);
            }
        } else if next.is_file() {
            found.push(next);
        } else {
            errors.push((next.clone(), missing(&next).found(format!("named by the list {}", path.display()))));
        }
    }
    within.pop();
}

fn folder(path: &Path, endings: &[&str], found: &mut Vec<PathBuf>, errors: &mut Vec<(PathBuf, Diagnostic)>) {
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(e) => {
            let d = Diagnostic::general(format!("cannot read folder `{}`: {e}", path.display()));
            errors.push((path.to_owned(), d.help("check its permissions")));
            return;
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            folder(&path, endings, found, errors);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
            if path.is_file() {
                found.push(path);
            } else if !entry.file_name().to_string_lossy().starts_with('.') {
                let what = if path.extension().is_some_and(|e| e == "litmus") { "a test" } else { "a specification" };
                let d = Diagnostic::general(format!("`{}` has the name of {what} and is no file", path.display()));
                errors.push((path, d.help("it may be a link to something that is not there; mend it, or remove it")));
            }
        }
    }
}

/// A path that is not there, with the nearest name that is.
fn missing(path: &Path) -> Diagnostic {
    let d = Diagnostic::general(format!("there is no file or folder `{}`", path.display()));
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names: Vec<String> = std::fs::read_dir(parent)
        .map(|all| all.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    names.sort();
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let with_extension = format!("{name}.litmus");
    let near = if names.contains(&with_extension) {
        Some(with_extension.as_str())
    } else {
        litmpi_spec::suggest::nearest(&name, names.iter().map(String::as_str))
    };
    match near {
        Some(near) => d.help(format!("did you mean `{}`?", path.with_file_name(near).display())),
        None if name.contains('=') => {
            d.help("an outcome is asked for with `--for` (enumerate) or `--outcome` (explain): `--outcome 'a=1; b=0'`")
        }
        None => d.help("give a test file, or a folder that holds some"),
    }
}
