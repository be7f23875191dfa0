//! Generates programs from litmus tests.
//!
//! What a statement becomes follows from the instruction declarations of the specification: a call is
//! `NAME(arguments…)` in the order of the parameters, each passed as its kind says, or the instruction's own C
//! template. No function is known here by name, and no model: what outcomes are allowed is not this crate's matter.
//!
//! A [`Suite`] is a set of files that builds with a plain `mpicc *.c`: the generated tests and the harness (the C
//! files beside this crate's sources) that runs them as a schedule says. See `c/main.c` for the program's arguments
//! and `c/outcomes.c` for what it prints.

mod mpi;

pub use mpi::{HARNESS, Suite, SuiteFile, mpi_suite, mpi_test};
