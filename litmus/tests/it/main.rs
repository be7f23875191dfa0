//! The litmus format from outside: texts in, tests, messages and texts out.
//!
//! The declarations are made by hand after the shipped specifications, so that these tests stand on the format alone.

mod conditions;
mod cycles;
mod decls;
mod errors;
mod files;
mod fuzz;
mod golden;
mod herd;
mod library;
mod logs;
mod lowering;
mod printing;
mod resolving;
