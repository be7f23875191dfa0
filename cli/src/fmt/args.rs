//! The arguments of `litmpi fmt`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Tests (.litmus) and specifications (.spec), or folders that are searched for them; `-` for standard input, in which tests may stand one after the other
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing: show what would be, and end with 1 if that is anything
    #[arg(long)]
    pub(crate) check: bool,
    /// What standard input is
    #[arg(long, value_name = "LANGUAGE", default_value = "litmus")]
    pub(crate) language: Input,
}

/// The language of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Input {
    /// Tests
    Litmus,
    /// A specification
    Spec,
}
