//! The sources of one program that holds many tests: what the families have in common.

use crate::mpi::names::Names;
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::Language;
use litmpi_spec::diag::{Diagnostic, Report};
use std::fmt::Write as _;

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFile {
    /// Its name, in the suite's folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The sources of one program that holds many tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// The language of its tests.
    pub language: Language,
    /// All files, the harness included; they go into one folder.
    pub files: Vec<SuiteFile>,
    /// The C files to compile, by name; the others are included by them. A suite in Rust is a crate.
    pub units: Vec<String>,
    /// For each test, in the order given, the name by which the program knows it; none for a rejected test.
    pub names: Vec<Option<String>>,
    /// Tests that something is wrong with, by index, and what.
    pub rejected: Vec<(usize, Report)>,
    /// Tests that nothing is wrong with and that have no program all the same, by index: what the harness has no room for, or what the
    /// language's binding to the library lacks.
    pub lacking: Vec<(usize, String)>,
}

impl Suite {
    /// The suite without some tests, by their names in the program.
    #[must_use]
    pub fn without(mut self, names: &[String]) -> Suite {
        for name in self.names.iter_mut().filter(|n| n.as_ref().is_some_and(|n| names.contains(n))) {
            *name = None;
        }
        let without: Vec<String> = names.iter().map(|n| self.file_of(n)).collect();
        self.files.retain(|f| !without.contains(&f.name));
        let (root, text) = match self.language {
            Language::C => ("tests.c", table(&self.names)),
            Language::Rust => ("src/main.rs", crate::rust::table(&self.names)),
        };
        for file in self.files.iter_mut().filter(|f| f.name == root) {
            file.text.clone_from(&text);
        }
        self
    }

    /// The file of a test, by the test's name in the program.
    pub fn file_of(&self, name: &str) -> String {
        match self.language {
            Language::C => format!("test_{name}.c"),
            Language::Rust => format!("src/test_{name}.rs"),
        }
    }
}

/// What the harness or the language has no room for, in words; none if there is nothing of that kind.
pub(crate) fn beyond(limits: &[Diagnostic]) -> Option<String> {
    let words = |d: &Diagnostic| match &d.help {
        Some(help) => format!("{} ({help})", d.message),
        None => d.message.clone(),
    };
    (!limits.is_empty()).then(|| limits.iter().map(words).collect::<Vec<_>>().join("; "))
}

/// The harness and every test that `emit` can express, by the name that the program will know it by. `limits` says what of a test the
/// harness has no room for.
pub(crate) fn suite(
    tests: &[&Test],
    harness: &[(&str, &str)],
    limits: impl Fn(&Test) -> Vec<Diagnostic>,
    emit: impl Fn(&Test, &str) -> Result<String, Report>,
) -> Suite {
    let mut taken = Names::default();
    let mut files: Vec<SuiteFile> =
        harness.iter().map(|(name, text)| SuiteFile { name: (*name).into(), text: (*text).into() }).collect();
    let mut units: Vec<String> = harness.iter().map(|(n, _)| (*n).to_string()).filter(|n| n.ends_with(".c")).collect();
    let (mut known, mut rejected, mut lacking) = (Vec::new(), Vec::new(), Vec::new());
    for (i, test) in tests.iter().enumerate() {
        let name = taken.fresh(&test.name);
        if let Some(what) = beyond(&limits(test)) {
            known.push(None);
            lacking.push((i, what));
            continue;
        }
        match emit(test, &name) {
            Ok(text) => {
                files.push(SuiteFile { name: format!("test_{name}.c"), text });
                known.push(Some(name));
            }
            Err(report) => {
                known.push(None);
                rejected.push((i, report));
            }
        }
    }
    units.push("tests.c".into());
    files.push(SuiteFile { name: "tests.c".into(), text: table(&known) });
    Suite { language: Language::C, files, units, names: known, rejected, lacking }
}

/// The unit that includes every test, so that the headers are read once, and lists them.
fn table(names: &[Option<String>]) -> String {
    let mut out = String::from("/* The tests of this suite. */\n#include \"litmpi.h\"\n\n");
    let names: Vec<&String> = names.iter().flatten().collect();
    for name in &names {
        let _ = writeln!(out, "#include \"test_{name}.c\"");
    }
    out.push_str("\nconst struct litmpi_test *const litmpi_tests[] = {\n");
    for name in &names {
        let _ = writeln!(out, "    &{name},");
    }
    // A table without entries is not C.
    let _ = writeln!(out, "    NULL,\n}};\nconst int litmpi_test_count = {};", names.len());
    out
}
