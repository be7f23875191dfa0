//! The arguments of `litmpi robust`.

use crate::args::BoundArgs;
use crate::explain::PictureArgs;
use clap::Args;
use std::path::PathBuf;

/// Which programs are looked at, under which model.
#[derive(Debug, Args)]
pub(crate) struct SubjectArgs {
    /// Litmus files, or folders that are searched for them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) tests: Vec<PathBuf>,
    /// The declarative model: rdma-tso (TSO nodes), rdma-sc (SC nodes), another shipped one, or a .cat file of your own
    #[arg(long, value_name = "NAME", default_value = "rdma-tso")]
    pub(crate) model: String,
    /// A named set of the constants of the programs, `inline`
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) variant: String,
}

#[derive(Debug, Args)]
pub(crate) struct RobustArgs {
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    /// A condition of your own beside those that ship: a .cat file whose checks depend on the events alone
    #[arg(long = "condition", value_name = "FILE")]
    pub(crate) conditions: Vec<PathBuf>,
    /// Show the weak execution of each test that is not robust; of a single test it is always shown
    #[arg(long)]
    pub(crate) show: bool,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    #[command(flatten)]
    pub(crate) pictures: PictureArgs,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
