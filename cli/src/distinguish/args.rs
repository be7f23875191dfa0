//! The arguments of `litmpi distinguish`.

use crate::args::BoundArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DistinguishArgs {
    /// A model, `NAME`, `NAME.cat` or `NAME:VARIANT`
    #[arg(value_name = "A")]
    pub(crate) one: String,
    /// Another model, or the same under another variant
    #[arg(value_name = "B")]
    pub(crate) other: String,
    /// Statements of the largest programs
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) size: u8,
    /// Threads, or ranks, of the largest programs
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) threads: u8,
    /// What programs are made of, `put,read,write`; without it all that both models know of the instructions that programs are made of
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) with: Vec<String>,
    /// For MPI: only programs in which each message is received, each request waited for, and all ranks call the same collectives
    #[arg(long)]
    pub(crate) matched: bool,
    /// Stop when each of the models has so many programs on which it alone allows something
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) most: usize,
    /// Count the programs of each size, and ask no model
    #[arg(long)]
    pub(crate) count: bool,
    /// Write each program into this folder
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
