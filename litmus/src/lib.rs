//! The litmus format: programs, conditions, outcome sets.
//!
//! ```text
//! file --parse--> ast::Test --lower--> litmpi_spec::program::Program
//!                    |
//!                    +--print--> text that parses to the same test
//! ```
//! [`golden`] holds complete outcome sets beside the tests, [`library`] finds test files, [`layer`] puts a layer's
//! bodies in the place of calls, [`log`] reads logs of runs.

mod asked;
pub mod ast;
mod build;
pub mod critical;
pub mod cycles;
pub mod golden;
mod hash;
mod herd;
pub mod layer;
pub mod library;
pub mod log;
pub mod lower;
mod names;
pub mod parse;
pub mod print;
mod raw;
mod resolve;
pub mod sites;
pub mod widen;

pub use hash::hash;
pub use lower::lower;
pub use names::{Asked, check_names};
pub use parse::{check_threads, is_own, parse, parse_family};
pub use print::print;
