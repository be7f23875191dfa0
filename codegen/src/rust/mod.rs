//! Rust for MPI, by rsmpi (the crate `mpi`).
//!
//! A suite is a crate: a module a test, `src/litmpi` (what tests see), and the C harness, which its build script compiles.
//! What rsmpi does not offer is said, test by test: [`Suite::lacking`].

mod dialect;
mod test;

use crate::mpi::HARNESS;
use crate::mpi::test::shape;
use crate::suite::{NoProgram, Suite, SuiteFile, files_of, room, suite};
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{Instructions, Language};
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
    let mut files = files_of(&CRATE);
    files.extend(HARNESS.map(|(name, text)| SuiteFile { name: format!("harness/{name}"), text: text.into() }));
    suite(Language::Rust, files, tests, |test, name| {
        room(&shape(test))?;
        Ok(rust_test(test, instructions, name)?)
    })
}

impl From<NoRust> for NoProgram {
    fn from(why: NoRust) -> NoProgram {
        match why {
            NoRust::Report(report) => NoProgram::Rejected(report),
            lacks => NoProgram::Lacking(lacks.reason()),
        }
    }
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
