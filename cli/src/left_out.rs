//! Tests that a command had to leave out.
//!
//! A test that cannot be read, enumerated or built costs no other test its result: the command goes on without it, says at its end
//! which files were left out and why, and ends with exit code 2.

use crate::refused::Refused;
use crate::{Verdict, complain, remark};
use litmpi_spec::diag::{Diagnostic, Report};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The files that were left out, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(Vec<(PathBuf, Report)>);

impl LeftOut {
    /// Leaves a file out.
    pub(crate) fn add(&mut self, file: &Path, why: Report) {
        self.0.push((file.to_owned(), why));
    }

    /// What was found for a file; none, and the file is left out, if that failed.
    pub(crate) fn keep<T>(&mut self, file: &Path, result: Result<T, Report>) -> Option<T> {
        result.map_err(|why| self.add(file, why)).ok()
    }

    /// What was found for those of the files for which that did not fail.
    pub(crate) fn keep_all<T>(&mut self, files: &[PathBuf], results: Vec<Result<T, Report>>) -> Vec<T> {
        files.iter().zip(results).filter_map(|(file, result)| self.keep(file, result)).collect()
    }

    /// All reasons as one report, for a command that has nothing to go on with.
    ///
    /// # Errors
    /// The reasons, each once, if there are any.
    pub(crate) fn into_result(self) -> Result<(), Report> {
        let mut all = Report::default();
        for diagnostic in self.0.into_iter().flat_map(|(_, why)| why.0) {
            if !all.0.contains(&diagnostic) {
                all.0.push(diagnostic);
            }
        }
        all.into_result()
    }

    /// How many files.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each file with the first message about it, in one line with its place.
    pub(crate) fn short(&self) -> impl Iterator<Item = (&Path, String)> {
        let first = |why: &Report| {
            let said = |d: &Diagnostic| match &d.span {
                Some(at) => format!("{at}: {}", d.message),
                None => d.message.clone(),
            };
            why.0.first().map_or_else(String::new, said)
        };
        self.0.iter().map(move |(file, why)| (file.as_path(), first(why)))
    }

    /// What kept the files from being used, by reason.
    pub(crate) fn refused(&self) -> Refused {
        let mut out = Refused::default();
        self.0.iter().for_each(|(file, why)| out.add(file, why));
        out
    }

    /// An object for each file that was left out, for the end of a list of JSON.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Value> {
        self.0.iter().map(|(file, why)| json!({ "file": file.display().to_string(), "left_out": why.to_string() }))
    }

    /// Says what was left out, on stderr: each reason once, with all of its files. The verdict of the command is then that its
    /// input must be mended; `verdict`, if nothing was left out.
    pub(crate) fn end(self, verdict: Verdict) -> Verdict {
        if self.0.is_empty() {
            return verdict;
        }
        let (number, by_reason) = (self.0.len(), self.refused().line());
        let mut reasons: Vec<(Report, Vec<String>)> = vec![];
        for (file, why) in self.0 {
            let file = file.display().to_string();
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, files)) => files.push(file),
                None => reasons.push((why, vec![file])),
            }
        }
        for (why, files) in reasons {
            remark(&format!("left out: {}", files.join(", ")));
            complain(&why);
        }
        remark(&format!("{number} left out, for {} above", if number == 1 { "the reason" } else { "the reasons" }));
        if let Some(line) = by_reason {
            remark(&line);
        }
        Verdict::Mend
    }
}
