//! Complete outcome sets, kept beside the tests in `NAME.expected` files.
//!
//! ```text
//! model rdma-tso variant default
//! z=0;
//! z=1;
//! ```
//! A section for each model and variant, in the order of the file, a blank line between; one outcome a line, as
//! [`crate::ast::Test::show`] gives it, in byte order. A test that observes nothing has the outcome `{}`. Reading
//! and printing a printed file gives the same bytes.

use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The variant's name when a model runs with its default constants.
pub const DEFAULT: &str = "default";
/// How the outcome of a test that observes nothing is written.
const EMPTY: &str = "{}";

/// The outcome set of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The model.
    pub model: String,
    /// Its variant, [`DEFAULT`] if none.
    pub variant: String,
    /// All outcomes.
    pub outcomes: BTreeSet<String>,
}

/// A file of outcome sets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Golden {
    /// The sections, no two of the same model and variant.
    pub sections: Vec<Section>,
}

/// Where the outcome sets of a test are kept: `X.expected` beside `X.litmus`.
pub fn path(litmus: &Path) -> PathBuf {
    litmus.with_extension("expected")
}

impl Golden {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Lines that are neither a section's head nor an outcome in one, and sections or outcomes that stand twice.
    pub fn parse(source: &Arc<Source>) -> Result<Golden, Report> {
        let mut golden = Golden::default();
        let mut errors = Vec::new();
        let mut at = 0;
        for line in source.text.split('\n') {
            let span = Span::new(source, at, at + line.len());
            at += line.len() + 1;
            let line = line.trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["model", model, "variant", variant] => {
                    if golden.find(model, variant).is_some() {
                        let d = Diagnostic::at(&span, "a second section of the same model and variant");
                        errors.push(d.found("the second").help("remove one"));
                    }
                    let (model, variant) = ((*model).to_string(), (*variant).to_string());
                    golden.sections.push(Section { model, variant, outcomes: BTreeSet::new() });
                }
                ["model", ..] => errors.push(
                    Diagnostic::at(&span, "this is not the head of a section")
                        .found("a line that begins with `model`")
                        .help("write `model NAME variant NAME`; without a variant, `default`"),
                ),
                _ => match golden.sections.last_mut() {
                    Some(section) => {
                        let outcome = if line == EMPTY { "" } else { line };
                        if !section.outcomes.insert(outcome.to_string()) {
                            let d = Diagnostic::at(&span, "the outcome stands twice in its section");
                            errors.push(d.found("the second").help("remove one"));
                        }
                    }
                    None => errors.push(
                        Diagnostic::at(&span, "an outcome stands before the first section")
                            .found("outside any section")
                            .help("begin with `model NAME variant NAME`"),
                    ),
                },
            }
        }
        Report(errors).into_result()?;
        Ok(golden)
    }

    /// The outcomes of a model and variant.
    pub fn find(&self, model: &str, variant: &str) -> Option<&BTreeSet<String>> {
        self.sections.iter().find(|s| s.model == model && s.variant == variant).map(|s| &s.outcomes)
    }

    /// Replaces a section, or adds it at the end.
    pub fn set(&mut self, model: &str, variant: &str, outcomes: BTreeSet<String>) {
        match self.sections.iter_mut().find(|s| s.model == model && s.variant == variant) {
            Some(section) => section.outcomes = outcomes,
            None => {
                self.sections.push(Section { model: model.to_string(), variant: variant.to_string(), outcomes });
            }
        }
    }
}

impl fmt::Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, section) in self.sections.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            writeln!(f, "model {} variant {}", section.model, section.variant)?;
            for outcome in &section.outcomes {
                writeln!(f, "{}", if outcome.is_empty() { EMPTY } else { outcome })?;
            }
        }
        Ok(())
    }
}
