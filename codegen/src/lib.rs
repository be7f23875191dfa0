//! Generates programs from litmus tests.
//!
//! What a statement becomes follows from the instruction declarations of the specification: a call is
//! `NAME(arguments…)` in the order of the parameters, each passed as its kind says, or the instruction's own C
//! template. No function is known here by name, and no model: what outcomes are allowed is not this crate's matter.
//!
//! A [`Suite`] is a set of files that builds with a plain `mpicc *.c`: the generated tests and the harness (the C
//! files beside this crate's sources) that runs them as a schedule says. See `c/main.c` for the program's arguments
//! and `c/outcomes.c` for what it prints; for verbs, the same files under `c/verbs`.

mod layer;
mod mpi;
mod rust;
mod standalone;
mod suite;
mod verbs;

use litmpi_litmus::ast::Test;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};

pub use layer::{LAYER_RUNTIME, layer_library};
pub use litmpi_spec::decl::Language;
pub use mpi::{HARNESS, Reproduced, is_polled, mpi_suite, mpi_test, reproducer};
pub use rust::{CRATE, NoRust, rust_suite, rust_test};
pub use standalone::{Judged, standalone_suite};
pub use suite::{Suite, SuiteFile};
pub use verbs::{VERBS_HARNESS, verbs_rust_suite, verbs_rust_test, verbs_suite, verbs_test};

/// The program of a family's tests in a language: MPI for `mpi`, verbs for `rdma`.
///
/// # Errors
/// A family that no programs are generated for, in this language.
pub fn family_suite(
    family: &str,
    language: Language,
    tests: &[&Test],
    instructions: &Instructions,
) -> Result<Suite, Report> {
    match (family, language) {
        ("mpi", Language::C) => Ok(mpi_suite(tests, instructions)),
        ("mpi", Language::Rust) => Ok(rust_suite(tests, instructions)),
        ("rdma", Language::C) => Ok(verbs_suite(tests, instructions)),
        ("rdma", Language::Rust) => Ok(verbs_rust_suite(tests, instructions)),
        (other, language) => Err(no_family(other, language)),
    }
}

/// The file of one test of a family in a language; in C its names begin with `name`.
///
/// # Errors
/// A family that no programs are generated for in this language; what of the test it cannot express.
pub fn family_test(
    family: &str,
    language: Language,
    test: &Test,
    instructions: &Instructions,
    name: &str,
) -> Result<String, Report> {
    match (family, language) {
        ("mpi", Language::C) => mpi_test(test, instructions, name),
        ("mpi", Language::Rust) => rust_test(test, instructions, name).map_err(|e| match e {
            NoRust::Report(report) => report,
            lacks => Diagnostic::at(&test.span, lacks.reason())
                .found("this test")
                .help("without `--lang rust` it is emitted in C")
                .into(),
        }),
        ("rdma", Language::C) => verbs_test(test, instructions, name),
        ("rdma", Language::Rust) => verbs_rust_test(test, instructions, name),
        (other, language) => Err(no_family(other, language)),
    }
}

fn no_family(family: &str, language: Language) -> Report {
    let (language, families) = match language {
        Language::C => ("C", "tests of the families `mpi` and `rdma` can be emitted"),
        Language::Rust => {
            ("Rust", "tests of the families `mpi` (by rsmpi) and `rdma` (by rdma-sys) can be emitted in Rust")
        }
    };
    Diagnostic::general(format!("no {language} is generated for tests of the family `{family}`")).help(families).into()
}
