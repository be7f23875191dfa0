//! The library of tests that is inside of the program: `@mpi`, `@rdma`, `@mpi/order-causal`, or `@library` for all of it.
//!
//! Tests are files to everything else, so they are unpacked into the user's cache, in a folder that is named after what is in it.
//! A program that was made for work on litmpi has no tests inside and reads the folder that it was made from.

use litmpi_spec::diag::{Diagnostic, Report};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Name and text of each file; none in a program that was not made to be installed.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/tests.rs"));

/// The path of what a name beginning with `@` stands for; nothing if it is another path, or that of a list.
///
/// # Errors
/// A name of nothing; a folder that cannot be written.
pub(crate) fn library(path: &Path) -> Result<Option<PathBuf>, Report> {
    let Some(name) = path.to_str().and_then(|p| p.strip_prefix('@')) else { return Ok(None) };
    if path.exists() {
        return Ok(None);
    }
    let root = root()?;
    let name = if name == "library" { "" } else { name };
    let safe = Path::new(name).components().all(|c| matches!(c, std::path::Component::Normal(_)));
    let found = [root.join(name), root.join(format!("{name}.litmus"))].into_iter().find(|p| safe && p.exists());
    found.map(Some).ok_or_else(|| {
        let d =
            Diagnostic::general(format!("there is no list `{}`, and no such tests are in the library", path.display()));
        d.help(format!("the library has {}, and all of it is @library", folders(&root).join(", "))).into()
    })
}

fn folders(root: &Path) -> Vec<String> {
    let has_tests = |p: &Path| litmpi_litmus::library::find(&[p.to_owned()]).is_ok();
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|e| e.path().is_dir() && e.file_name() != "tests" && e.file_name() != "src" && has_tests(&e.path()))
        .map(|e| format!("@{}", e.file_name().to_string_lossy()))
        .collect();
    names.sort();
    names
}

/// The folder that the library is in.
fn root() -> Result<PathBuf, Report> {
    if FILES.is_empty() {
        return Ok(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../litmus")));
    }
    let mut sum = Sha256::new();
    FILES.iter().for_each(|(name, text)| sum.update(format!("{name} {} {text}", text.len())));
    let sum: String = sum.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect();
    let folder = litmpi_scratch::cache().unwrap_or_else(litmpi_scratch::temporary).join(format!("tests-{sum}"));
    let wrong = |e: std::io::Error| {
        let d = Diagnostic::general(format!("cannot unpack the library of tests into {}: {e}", folder.display()));
        Report::from(d.help("set XDG_CACHE_HOME to a folder that can be written"))
    };
    litmpi_scratch::private(&folder).map_err(wrong)?;
    for (name, text) in FILES {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).map_err(wrong)?;
        // Another litmpi may unpack at the same time: each file comes into being whole.
        let whole = tempfile::NamedTempFile::new_in(parent).map_err(wrong)?;
        std::fs::write(whole.path(), text).map_err(wrong)?;
        whole.persist(&path).map_err(|e| wrong(e.error))?;
    }
    Ok(folder)
}
