//! Conformance tests: golden, agreement, end to end; and what reads input of others, for fuzzing ([`fuzz`]).

pub mod fuzz;
