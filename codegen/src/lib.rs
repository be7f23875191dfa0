//! Generates programs from litmus tests
