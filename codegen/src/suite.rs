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
    /// The C files to compile, by name; the others are included by them. The last holds the tests, the others are the harness and the
    /// same in every suite of a family. A suite in Rust is a crate.
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
        let (root, text) = self.root();
        for file in self.files.iter_mut().filter(|f| f.name == root) {
            file.text.clone_from(&text);
        }
        self
    }

    /// The file that lists the tests, and its text.
    fn root(&self) -> (&'static str, String) {
        match self.language {
            Language::C => ("tests.c", table(&self.names)),
            Language::Rust => ("src/main.rs", crate::rust::table(&self.names)),
        }
    }

    /// The file of a test, by the test's name in the program.
    pub fn file_of(&self, name: &str) -> String {
        match self.language {
            Language::C => format!("test_{name}.c"),
            Language::Rust => format!("src/test_{name}.rs"),
        }
    }
}

/// Why a test has no program.
pub(crate) enum NoProgram {
    /// Something is wrong with the test or the declarations.
    Rejected(Report),
    /// Nothing is wrong with it: see [`Suite::lacking`].
    Lacking(String),
}

impl From<Report> for NoProgram {
    fn from(report: Report) -> NoProgram {
        NoProgram::Rejected(report)
    }
}

/// Whether the harness and the language have room for a test, of which this is what they have no room for.
///
/// # Errors
/// They have not.
pub(crate) fn room(limits: &[Diagnostic]) -> Result<(), NoProgram> {
    let words = |d: &Diagnostic| match &d.help {
        Some(help) => format!("{} ({help})", d.message),
        None => d.message.clone(),
    };
    // What is lacking in several places is said once.
    let mut said: Vec<String> = vec![];
    for words in limits.iter().map(words) {
        if !said.contains(&words) {
            said.push(words);
        }
    }
    if said.is_empty() { Ok(()) } else { Err(NoProgram::Lacking(said.join("; "))) }
}

/// These files, and every test that `emit` can express, by the name that the program will know it by.
pub(crate) fn suite(
    language: Language,
    files: Vec<SuiteFile>,
    tests: &[&Test],
    emit: impl Fn(&Test, &str) -> Result<String, NoProgram>,
) -> Suite {
    let mut taken = Names::default();
    let units = files.iter().map(|f| f.name.clone()).filter(|n| language == Language::C && n.ends_with(".c")).collect();
    let mut suite = Suite { language, files, units, names: vec![], rejected: vec![], lacking: vec![] };
    for (i, test) in tests.iter().enumerate() {
        let name = taken.fresh(&test.name);
        match emit(test, &name) {
            Ok(text) => {
                let file = suite.file_of(&name);
                suite.files.push(SuiteFile { name: file, text });
                suite.names.push(Some(name));
                continue;
            }
            Err(NoProgram::Rejected(report)) => suite.rejected.push((i, report)),
            Err(NoProgram::Lacking(what)) => suite.lacking.push((i, what)),
        }
        suite.names.push(None);
    }
    let (root, text) = suite.root();
    if language == Language::C {
        suite.units.push(root.into());
    }
    suite.files.push(SuiteFile { name: root.into(), text });
    suite
}

/// Files of a harness.
pub(crate) fn files_of(harness: &[(&str, &str)]) -> Vec<SuiteFile> {
    harness.iter().map(|(name, text)| SuiteFile { name: (*name).into(), text: (*text).into() }).collect()
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
