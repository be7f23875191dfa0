//! Violations that are known, with their tickets: `known.toml`, and files of the user's.

use litmpi_runner::RunResult;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use serde::Deserialize;
use std::path::PathBuf;

/// One known violation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Names of the tests that show it.
    tests: Vec<String>,
    /// What the library's own words contain.
    library: String,
    /// What it is.
    says: String,
    /// Where it is kept.
    ticket: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    known: Vec<Entry>,
}

/// All known violations.
pub(crate) struct Known(Vec<Entry>);

impl Known {
    /// The shipped ones and those of the files.
    pub(crate) fn load(files: &[PathBuf]) -> Result<Known, Report> {
        let mut sources = vec![Source::new("known.toml", include_str!("../known.toml"))];
        for path in files {
            sources.push(Source::read_as(path, "the known violations in ")?);
        }
        let mut out = vec![];
        for source in sources {
            let file: File = toml::from_str(&source.text).map_err(|e| {
                let at = e.span().unwrap_or(0..0);
                let d = Diagnostic::at(&Span::new(&source, at.start, at.end), e.message().to_owned());
                Report::from(d.help("entries are [[known]] tables with tests, library, says, ticket"))
            })?;
            out.extend(file.known);
        }
        Ok(Known(out))
    }

    /// What is known of a test, a line for each library.
    pub(crate) fn of_test(&self, test: &str) -> Vec<String> {
        let about = self.0.iter().filter(|e| e.tests.iter().any(|t| t == test));
        about.map(|e| format!("known of {}: {}; {}", e.library, e.says, e.ticket)).collect()
    }

    /// What is known of a result's violation.
    pub(crate) fn about(&self, r: &RunResult) -> Option<String> {
        // What stands between a program in Rust and the library may be the one that is wrong.
        let library = format!("{}{}", r.library, if r.target.ends_with(":rust") { ", rsmpi" } else { "" });
        let entry = self.0.iter().find(|e| e.tests.contains(&r.test) && library.contains(&e.library))?;
        Some(format!("{}; {}", entry.says, entry.ticket))
    }
}
