//! C for MPI.

mod body;
mod expr;
mod names;
mod template;
mod test;

use litmpi_litmus::ast::Test;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::Report;
use std::fmt::Write as _;

pub use test::mpi_test;

/// The harness's files, the same for every suite.
pub const HARNESS: [(&str, &str); 7] = [
    ("litmpi.h", include_str!("../../c/litmpi.h")),
    ("harness.h", include_str!("../../c/harness.h")),
    ("main.c", include_str!("../../c/main.c")),
    ("harness.c", include_str!("../../c/harness.c")),
    ("control.c", include_str!("../../c/control.c")),
    ("outcomes.c", include_str!("../../c/outcomes.c")),
    ("relaxed.c", include_str!("../../c/relaxed.c")),
];

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

/// Generates a program from tests that share instruction declarations. A test that cannot be expressed is left out
/// and said to be so in [`Suite::rejected`].
pub fn mpi_suite(tests: &[&Test], instructions: &Instructions) -> Suite {
    let mut taken = names::Names::default();
    let mut files: Vec<SuiteFile> =
        HARNESS.iter().map(|(name, text)| SuiteFile { name: (*name).into(), text: (*text).into() }).collect();
    let mut units: Vec<String> = HARNESS.iter().map(|(n, _)| (*n).to_string()).filter(|n| n.ends_with(".c")).collect();
    let (mut known, mut rejected) = (Vec::new(), Vec::new());
    for (i, test) in tests.iter().enumerate() {
        let name = taken.fresh(&test.name);
        match mpi_test(test, instructions, &name) {
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

/// The unit that includes every test, so that the MPI header is read once, and lists them.
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
