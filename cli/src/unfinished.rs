//! Runs that were ended before their end: the same command takes up what they have.
//!
//! While a run lasts, a file beside its results, `results.unfinished`, has its command. It goes when the run has come to its end; a run
//! that was ended by a signal or killed leaves it behind.

use crate::say::{remark, unwritten};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The extension of such files.
pub(crate) const UNFINISHED: &str = "unfinished";

/// The arguments that make a command: what they say of the form of the output, and where a shard's file is, makes no difference.
fn command() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned());
    words.filter(|w| !["--json", "--log", "--each", "--failures"].contains(&w.as_str())).collect()
}

/// Notes that a run with these results has begun.
pub(crate) fn begin(results: &Path) {
    let mark = results.with_extension(UNFINISHED);
    let text = serde_json::to_string(&command()).unwrap_or_default();
    if let Err(e) = std::fs::write(&mark, text) {
        unwritten(format!("cannot write {}: {e}", mark.display()));
    }
}

/// The run with these results has come to its end, or another one has taken them up.
pub(crate) fn end(results: &Path) {
    // If there is none, nothing has to go.
    let _ = std::fs::remove_file(results.with_extension(UNFINISHED));
}

/// The results of runs with this command that were ended before their end, in the folder `out`.
///
/// # Errors
/// A file that is there and cannot be read.
pub(crate) fn found(out: &Path) -> Result<Vec<PathBuf>, Report> {
    let Ok(entries) = std::fs::read_dir(out) else { return Ok(vec![]) };
    let mut marks: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    marks.retain(|p| p.extension().is_some_and(|e| e == UNFINISHED));
    marks.sort();
    let mut found = vec![];
    for mark in marks {
        let results = mark.with_extension("jsonl");
        let source = match Source::read_as(&mark, "the command of an unfinished run in ") {
            // Its run has come to its end since the folder was listed.
            Err(_) if !mark.exists() => continue,
            source => source?,
        };
        let same = serde_json::from_str::<Vec<String>>(&source.text).is_ok_and(|words| words == command());
        // One that is still under way has it locked.
        let is_over = File::open(&results).is_ok_and(|file| file.try_lock().is_ok());
        if same && is_over {
            found.push(results);
        }
    }
    Ok(found)
}

/// Says that results were taken up.
pub(crate) fn tell(files: &[PathBuf], taken: usize) {
    if !files.is_empty() && taken > 0 {
        let files: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        remark(&format!(
            "note: an earlier run with this command was ended before its end; {taken} results are taken up from {} (--fresh begins anew)",
            files.join(", ")
        ));
    }
}
