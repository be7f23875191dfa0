//! A run that a signal ended: what there is of it, and how to go on.

use crate::kept::Lines;
use litmpi_runner::{exit_code, quoted};
use litmpi_spec::diag::{Diagnostic, Report};
use std::path::PathBuf;

/// How a run was ended by a signal.
pub(crate) struct Ended {
    signal: &'static str,
    /// The file of its results, and how many stand there.
    results: PathBuf,
    number: usize,
}

impl Ended {
    /// The run that wrote these results was ended by this signal.
    pub(crate) fn new(signal: &'static str, lines: &Lines) -> Ended {
        Ended { signal, results: lines.path.clone(), number: lines.number }
    }

    /// What ended it, what there is, and the command that goes on.
    pub(crate) fn report(&self) -> Report {
        let file = self.results.display().to_string();
        let mut words: Vec<String> = std::env::args_os().map(|w| w.to_string_lossy().into_owned()).collect();
        words.extend(["--with".to_owned(), file.clone()]);
        let words: Vec<String> = words.iter().map(|w| quoted(w)).collect();
        let what = format!("the run was ended by {}; {} results are in {file}", self.signal, self.number);
        Diagnostic::general(what).help(format!("to go on: {}", words.join(" "))).into()
    }

    /// The exit code that a shell has for a process which this signal ends.
    pub(crate) fn code(&self) -> u8 {
        exit_code(self.signal)
    }
}
