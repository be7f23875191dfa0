//! The arguments of `litmpi doctor`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Only these targets, by name; it is an error if one is not here
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) target: Vec<String>,
    /// A TOML file with targets of your own; what it names is run
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Vec<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
