//! Rust for MPI, by rsmpi (the crate `mpi`).
//!
//! A suite is a crate: a module a test, `src/litmpi` (what tests see), and the C harness, which its build script compiles.
//! What rsmpi does not offer is said, test by test: [`Suite::lacking`].

mod dialect;
mod test;

use crate::mpi::HARNESS;
use crate::mpi::names::Names;
use crate::mpi::test::shape;
use crate::suite::{Suite, SuiteFile, beyond};
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{Instructions, Language};
use litmpi_spec::diag::Diagnostic;
use std::fmt::Write as _;

pub(crate) use dialect::Rust;
pub use test::{NoRust, rust_test};
pub(crate) use test::{head, observables};

/// What tests over MPI and over verbs have alike.
pub(crate) const BODY: (&str, &str) = ("src/litmpi/body.rs", include_str!("../../rust/body.rs"));

/// The crate's own files, the same for every suite.
pub const CRATE: [(&str, &str); 9] = [
    ("Cargo.toml", include_str!("../../rust/Cargo.toml.in")),
    ("Cargo.lock", include_str!("../../rust/Cargo.lock.in")),
    ("build.rs", include_str!("../../rust/build.rs")),
    ("src/litmpi/mod.rs", include_str!("../../rust/litmpi/mod.rs")),
    BODY,
    ("src/litmpi/buffers.rs", include_str!("../../rust/litmpi/buffers.rs")),
    ("src/litmpi/collectives.rs", include_str!("../../rust/litmpi/collectives.rs")),
    ("src/litmpi/objects.rs", include_str!("../../rust/litmpi/objects.rs")),
    ("src/litmpi/requests.rs", include_str!("../../rust/litmpi/requests.rs")),
];

/// Generates a crate from tests that share instruction declarations. A test that cannot be expressed is left out and
/// said to be so.
pub fn rust_suite(tests: &[&Test], instructions: &Instructions) -> Suite {
    let mut files: Vec<SuiteFile> =
        CRATE.iter().map(|(name, text)| SuiteFile { name: (*name).into(), text: (*text).into() }).collect();
    for (name, text) in HARNESS {
        files.push(SuiteFile { name: format!("harness/{name}"), text: text.into() });
    }
    crate_suite(files, tests, shape, |test, name| rust_test(test, instructions, name))
}

/// A crate of these files and the tests that `emit` can express.
pub(crate) fn crate_suite(
    files: Vec<SuiteFile>,
    tests: &[&Test],
    limits: impl Fn(&Test) -> Vec<Diagnostic>,
    emit: impl Fn(&Test, &str) -> Result<String, NoRust>,
) -> Suite {
    let mut taken = Names::default();
    let mut suite = Suite {
        language: Language::Rust,
        files,
        units: Vec::new(),
        names: Vec::new(),
        rejected: Vec::new(),
        lacking: Vec::new(),
    };
    for (i, test) in tests.iter().enumerate() {
        let name = taken.fresh(&test.name);
        if let Some(what) = beyond(&limits(test)) {
            suite.lacking.push((i, what));
            suite.names.push(None);
            continue;
        }
        match emit(test, &name) {
            Ok(text) => {
                suite.files.push(SuiteFile { name: format!("src/test_{name}.rs"), text });
                suite.names.push(Some(name));
                continue;
            }
            Err(NoRust::Report(report)) => suite.rejected.push((i, report)),
            Err(lacks) => suite.lacking.push((i, lacks.reason())),
        }
        suite.names.push(None);
    }
    suite.files.push(SuiteFile { name: "src/main.rs".into(), text: table(&suite.names) });
    suite
}

/// The program's root, which lists the tests for the harness.
pub(crate) fn table(names: &[Option<String>]) -> String {
    let names: Vec<&String> = names.iter().flatten().collect();
    let mut out = String::from(
        "//! The tests of this suite.\n\n\
         // Names are the tests' own.\n\
         #![allow(non_snake_case, non_upper_case_globals)]\n\n\
         // What these tests do not use is there for others.\n\
         #[allow(dead_code, unused_imports)]\n\
         mod litmpi;\n",
    );
    for name in &names {
        let _ = writeln!(out, "mod test_{name};");
    }
    let _ = write!(
        out,
        "\n/// For the harness.\n#[unsafe(no_mangle)]\nstatic litmpi_tests: [&litmpi::Test; {}] = [\n",
        names.len()
    );
    for name in &names {
        let _ = writeln!(out, "    &test_{name}::TEST,");
    }
    let _ = write!(
        out,
        "];\n\n/// For the harness.\n#[unsafe(no_mangle)]\nstatic litmpi_test_count: std::ffi::c_int = {};\n\n\
         fn main() {{\n    litmpi::main();\n}}\n",
        names.len()
    );
    out
}
