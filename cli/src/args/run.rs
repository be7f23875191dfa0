//! The arguments of `litmpi run`.

use super::{Lang, ModelArgs, chance, micros};
use crate::report::Wanted;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressArg {
    /// By test: relaxed where it may deadlock or has more ranks than cores
    Auto,
    /// Blocking calls as they are
    Blocking,
    /// Nonblocking calls polled with Test and sched_yield
    Relaxed,
    /// Each test in both ways
    Both,
}

/// Which violations a run fails for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Those that are not known, and those that are said to be mended in this version
    New,
    /// All
    Any,
    /// None: the exit code says only whether the run could be made
    Never,
}

impl RunArgs {
    /// The targets where none is named: what of them is not here is left out.
    pub(crate) const TARGETS: &str = "openmpi,mpich,nic";
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Named sets of the model's constants, `a,b`: the tests are run for each, with the settings that it asks for; `a+b` is both together
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "default")]
    pub(crate) variant: Vec<String>,
    /// Targets by name, `a,b`, with options, `a:get:relax`, or `a:*` for a and each of its options; `all` for every one; see `litmpi targets`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = RunArgs::TARGETS)]
    pub(crate) target: Vec<String>,
    /// A TOML file with targets of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) targets: Vec<PathBuf>,
    /// Only the tests, on the targets, that a filter takes: test(GLOB), file(GLOB), family(GLOB), call(GLOB), target(GLOB), known(), with
    /// `and`, `or`, `not`; `=exact`, `~contained` or `/regex/` in place of a glob
    #[arg(short = 'E', long = "filter", value_name = "FILTER")]
    pub(crate) filter: Vec<String>,
    /// A TOML file with violations that are known [default: litmpi-known.toml, if it is there]; its entries stand before the shipped ones
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Vec<PathBuf>,
    /// Which violations the run fails for, with exit code 1
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = FailOn::Any)]
    pub(crate) fail_on: FailOn,
    /// Write a report that other tools read: junit, tap, sarif, github (annotations) or json, to a file or to standard output
    #[arg(long, value_name = "FORMAT[=FILE]", value_delimiter = ',')]
    pub(crate) report: Vec<Wanted>,
    /// Begin anew, even if an earlier run with the same command was ended before its end
    #[arg(long)]
    pub(crate) fresh: bool,
    /// In the table, only what does not conform
    #[arg(long)]
    pub(crate) failures: bool,
    /// The language of the programs
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = Lang::C)]
    pub(crate) lang: Lang,
    /// Message sizes: bytes, or with K, M
    #[arg(long, value_name = "SIZES", value_delimiter = ',', default_value = "8,64K,4M")]
    pub(crate) sizes: Vec<String>,
    /// Most iterations of a test, for each target and size
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) iterations: u64,
    /// Longest time for a test, for each target and size, in milliseconds [default: 100, on slow targets more]
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// How long an iteration may be without progress before it counts as hanging, in seconds [default: 10, on slow targets
    /// more (the lab's: 100)]; less where deadlock is an allowed outcome
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86400))]
    pub(crate) patience: Option<u32>,
    /// Seconds that a compiler may take; one that takes longer is ended, and its tests fail
    #[arg(long, value_name = "SECONDS", default_value_t = 1800)]
    pub(crate) build_limit: u64,
    /// Seed of delays, choices and placement
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Chance of a random delay at a statement
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = chance)]
    pub(crate) delay_chance: f64,
    /// Longest random delay, in microseconds; by default 50 for MPI and 500 for verbs
    #[arg(long, value_name = "US", value_parser = micros)]
    pub(crate) delay_max: Option<f64>,
    /// Stress for verbs, ITEM,ITEM,…; by default `random` for tests of three and more threads, else `none`, and where
    /// better stress is known, that as well
    #[arg(long, value_name = "VECTOR")]
    pub(crate) stress: Option<litmpi_runner::Stress>,
    /// Stress that `litmpi tune` has found, used beside that
    #[arg(long, value_name = "FILE", default_value = "litmpi-tuned.toml")]
    pub(crate) tuned: PathBuf,
    /// On targets whose device can be told when to take which step (`nic`): do not do so for outcomes that have not come
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Tell violations at once, without trying them again in a fresh process
    #[arg(long)]
    pub(crate) no_retry: bool,
    /// How ranks wait inside blocking calls
    #[arg(long, value_enum, default_value_t = ProgressArg::Auto)]
    pub(crate) progress: ProgressArg,
    /// Run programs that are erroneous in the model, too
    #[arg(long)]
    pub(crate) erroneous: bool,
    /// Folder for programs and schedules, and for `results.jsonl`: the results so far, a line of JSON each
    #[arg(long = "output", short = 'o', alias = "out", value_name = "DIR", default_value = "litmpi-out")]
    pub(crate) out: PathBuf,
    /// Results of earlier runs, from their `results.jsonl`: what is in them is not run again, and is told with the rest
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Vec<PathBuf>,
    /// Print a log of every run, as litmus7 does, before the table
    #[arg(long)]
    pub(crate) log: bool,
    /// Instead of the table of results, one in Markdown of how often outcomes came whose rate on hardware is known
    #[arg(long)]
    pub(crate) rates: bool,
    /// Instead of the table of results, one in Markdown of which outcomes came, and how often, on each target
    #[arg(long, conflicts_with = "rates")]
    pub(crate) outcomes: bool,
    /// A row for each size and style
    #[arg(long)]
    pub(crate) each: bool,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
