//! The arguments of `litmpi report` and `litmpi serve`.

use crate::args::BoundArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Which tests have ways to their outcomes, and what forbids outcomes, on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explained {
    /// All, if there are few tests, else those that are not as they should be
    Auto,
    /// Those that are not as they should be
    Wrong,
    /// All: takes long, and makes a large file, for many tests
    All,
    /// None
    None,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Folders or `results.jsonl` of `litmpi run`, the folder of a campaign, what `run`, `check`, `compare` or `coverage` print with
    /// --json (`-` for standard input), or litmus files and folders of them
    #[arg(required = true, value_name = "FROM")]
    pub(crate) from: Vec<PathBuf>,
    /// The page to write: one file that needs no other
    #[arg(long = "output", short = 'o', value_name = "FILE", default_value = "litmpi-report.html")]
    pub(crate) out: PathBuf,
    /// Which tests are explained: ways to their outcomes step by step, with pictures, and what forbids an outcome
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Explained::Auto)]
    pub(crate) explain: Explained,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// What `litmpi report` takes, but for standard input; files that grow are read again
    #[arg(required = true, value_name = "FROM")]
    pub(crate) from: Vec<PathBuf>,
    /// The port of this machine; without it, one that is free: the address is printed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) page: PageArgs,
}

/// What is on a page, whether it is written or served.
#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// The title of the page
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// With maps of the clauses of the MPI standard and of its functions: what is tested, what was run, what is violated
    #[arg(long)]
    pub(crate) map: bool,
    /// A model of your own, if the results are of one: a .spec file
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// A TOML file with violations that are known [default: litmpi-known.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
}
