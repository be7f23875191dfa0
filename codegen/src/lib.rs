//! Generates programs from litmus tests.
//!
//! What a statement becomes follows from the instruction declarations of the specification: a call is
//! `NAME(arguments…)` in the order of the parameters, each passed as its kind says, or the instruction's own C
//! template. No function is known here by name, and no model: what outcomes are allowed is not this crate's matter.
//!
//! A [`Suite`] is a set of files that builds with a plain `mpicc *.c`: the generated tests and the harness (the C
//! files beside this crate's sources) that runs them as a schedule says. See `c/main.c` for the program's arguments
//! and `c/outcomes.c` for what it prints; for verbs, the same files under `c/verbs`.

mod mpi;
mod suite;
mod verbs;

use litmpi_litmus::ast::Test;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};

pub use mpi::{HARNESS, mpi_suite, mpi_test};
pub use suite::{Suite, SuiteFile};
pub use verbs::{VERBS_HARNESS, verbs_suite, verbs_test};

/// The program of a family's tests: MPI for `mpi`, verbs for `rdma`.
///
/// # Errors
/// A family that no programs are generated for.
pub fn family_suite(family: &str, tests: &[&Test], instructions: &Instructions) -> Result<Suite, Report> {
    match family {
        "mpi" => Ok(mpi_suite(tests, instructions)),
        "rdma" => Ok(verbs_suite(tests, instructions)),
        other => Err(no_family(other)),
    }
}

/// The C file of one test of a family, whose names begin with `name`.
///
/// # Errors
/// A family that no programs are generated for; what of the test has no C.
pub fn family_test(family: &str, test: &Test, instructions: &Instructions, name: &str) -> Result<String, Report> {
    match family {
        "mpi" => mpi_test(test, instructions, name),
        "rdma" => verbs_test(test, instructions, name),
        other => Err(no_family(other)),
    }
}

fn no_family(family: &str) -> Report {
    Diagnostic::general(format!("no C is generated for tests of the family `{family}`"))
        .help("tests of the families `mpi` and `rdma` can be emitted")
        .into()
}
