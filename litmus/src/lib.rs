//! The litmus format: programs, conditions, outcome sets.

pub mod ast;
