//! The arguments of `litmpi shrink`.

use crate::args::RunArgs;
use clap::Args;

/// Options that are for a violation on a target, and mean nothing of two models.
const ON_TARGETS: [&str; 17] = [
    "model",
    "spec",
    "variant",
    "target",
    "targets",
    "lang",
    "sizes",
    "iterations",
    "time",
    "patience",
    "build_limit",
    "seed",
    "delay_chance",
    "delay_max",
    "stress",
    "undirected",
    "progress",
];

#[derive(Debug, Args)]
pub(crate) struct ShrinkArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// In place of a violation on a target: two models, `A,B`, that differ on the program, each perhaps with a variant, `NAME:VARIANT`
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with_all = ON_TARGETS)]
    pub(crate) between: Vec<String>,
    /// What the program is still to show, `a=1; b=0` (of names that it keeps), `deadlock`, or how an error begins; without it, whatever
    /// is forbidden and of the same sort
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) outcome: Option<String>,
}
