//! The sources of one program that holds many tests: what the families have in common.

use crate::mpi::names::Names;
use litmpi_litmus::ast::Test;
use litmpi_spec::diag::Report;
use std::fmt::Write as _;

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The sources of one program that holds many tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// All files, the harness included; they go into one folder.
    pub files: Vec<SuiteFile>,
    /// The files to compile, by name; the others are included by them.
    pub units: Vec<String>,
    /// For each test, in the order given, the name by which the program knows it; none for a rejected test.
    pub names: Vec<Option<String>>,
    /// Tests that have no C, by index, and why.
    pub rejected: Vec<(usize, Report)>,
}

impl Suite {
    /// The suite without some tests, by their names in the program.
    #[must_use]
    pub fn without(mut self, names: &[String]) -> Suite {
        for name in self.names.iter_mut().filter(|n| n.as_ref().is_some_and(|n| names.contains(n))) {
            *name = None;
        }
        self.files.retain(|f| !names.iter().any(|n| f.name == format!("test_{n}.c")));
        for file in self.files.iter_mut().filter(|f| f.name == "tests.c") {
            file.text = table(&self.names);
        }
        self
    }
}

/// The harness and every test that `emit` can express, by the name that the program will know it by.
pub(crate) fn suite(
    tests: &[&Test],
    harness: &[(&str, &str)],
    emit: impl Fn(&Test, &str) -> Result<String, Report>,
) -> Suite {
    let mut taken = Names::default();
    let mut files: Vec<SuiteFile> =
        harness.iter().map(|(name, text)| SuiteFile { name: (*name).into(), text: (*text).into() }).collect();
    let mut units: Vec<String> = harness.iter().map(|(n, _)| (*n).to_string()).filter(|n| n.ends_with(".c")).collect();
    let (mut known, mut rejected) = (Vec::new(), Vec::new());
    for (i, test) in tests.iter().enumerate() {
        let name = taken.fresh(&test.name);
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
    Suite { files, units, names: known, rejected }
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
