//! The arguments of `litmpi list` and `litmpi known`.

use super::ModelArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Only the tests that a filter takes, as in `litmpi run`
    #[arg(short = 'E', long = "filter", value_name = "FILTER")]
    pub(crate) filter: Vec<String>,
    /// A TOML file with violations that are known [default: litmpi-known.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
    /// Instead of the tests, why files cannot be read: each reason with the number of files that it keeps out
    #[arg(long, conflicts_with = "filter")]
    pub(crate) refused: bool,
    /// Instead of tests, the models in the folders, `.cat` and `.spec`, with what keeps one from being loaded
    #[arg(long, conflicts_with = "filter")]
    pub(crate) models: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KnownCommand {
    /// Write down that violations of an earlier run are known
    Add(KnownAddArgs),
    /// List what is known, the user's own entries first
    List(KnownListArgs),
}

#[derive(Debug, Args)]
pub(crate) struct KnownAddArgs {
    /// Only violations that a filter takes: test(GLOB), file(GLOB), target(GLOB), verdict(WORD)
    #[arg(short = 'E', long = "filter", value_name = "FILTER")]
    pub(crate) filter: Vec<String>,
    /// Results of a run
    #[arg(long, value_name = "FILE", default_value = "litmpi-out/results.jsonl")]
    pub(crate) from: Vec<PathBuf>,
    /// The file that entries are added to [default: litmpi-known.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The cause, in a sentence
    #[arg(long, value_name = "TEXT")]
    pub(crate) says: String,
    /// Where it is kept: an issue, or why there is none
    #[arg(long, value_name = "TEXT")]
    pub(crate) ticket: String,
    /// The clause that asks for something else, as in `MPI-4.1 §3.11`
    #[arg(long, value_name = "TEXT")]
    pub(crate) clause: Option<String>,
    /// The versions that show it, `4.0.2` or `4.0.2 to 4.2.1` [default: those of the results]
    #[arg(long, value_name = "VERSIONS")]
    pub(crate) seen: Option<String>,
    /// The version in which it is mended: from there on it counts as new
    #[arg(long, value_name = "VERSION")]
    pub(crate) mended: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KnownListArgs {
    /// A TOML file with violations that are known [default: litmpi-known.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
