//! The arguments of `litmpi mend`.

use crate::args::BoundArgs;
use crate::robust::SubjectArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct MendArgs {
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    /// Forbid this outcome, `a=1; b=0`, in place of making the program robust
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) forbid: Option<String>,
    /// An outcome that the model is still to allow
    #[arg(long, value_name = "OUTCOME")]
    pub(crate) keep: Vec<String>,
    /// What may be put in, and what it costs, in place of the table that ships
    #[arg(long, value_name = "FILE")]
    pub(crate) costs: Option<PathBuf>,
    /// Most sets of insertions that are tried
    #[arg(long, value_name = "N", default_value_t = 4_000)]
    pub(crate) most: usize,
    /// Write the mended programs into this folder, by the names of the tests
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
